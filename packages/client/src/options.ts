import type { Clock } from './clock.ts'
import type { AttemptRecord, ErrorCode, FlowpostError } from './errors.ts'

/** What every call takes. */
export interface CallOptions {
  /** Stops the call at any moment; it rejects at once with the abort reason. */
  readonly signal?: AbortSignal | undefined
  /** Milliseconds for the whole call, with all its attempts, pauses and bodies. Default: the client's, and at least 10 s more than `wait`. */
  readonly timeout?: number | undefined
  /** Most milliseconds of one attempt. Default: the client's, and at least 5 s more than `wait`. */
  readonly attemptTimeout?: number | undefined
  /** Most further attempts. Default: the client's, and as many as the deadline allows without one. */
  readonly maxRetries?: number | undefined
  /**
   * Further request headers. Those that the client sets itself win. `Idempotency-Key` is refused, for which there is an
   * option, and so are headers of the connection and of the body's length.
   */
  readonly headers?: Readonly<Record<string, string>> | undefined
}

/** What a call takes that the server can recognise as a repetition. */
export interface IdempotentOptions extends CallOptions {
  /**
   * 1 to 255 visible ASCII characters that name what the call is meant to do: the same key and body within 24 hours do
   * it once, whichever process repeats it. It counts for a user, a method and a path, so put the project and the
   * purpose into it, as in `${project.id}:invoice-42:ready`. Default: a random key for each call.
   */
  readonly idempotencyKey?: string | undefined
}

/** What a call takes that changes a resource. */
export interface ConditionalOptions extends CallOptions {
  /** Only write when the entity tag of the resource is still this; else the call fails with `etag_mismatch`. */
  readonly ifMatch?: string | undefined
}

/** What a read takes that may be answered with "not modified". */
export interface CachedOptions extends CallOptions {
  /** An entity tag; the call resolves to `undefined` while it is still that of the resource. With `undefined` it always reads. */
  readonly ifNoneMatch: string | undefined
}

/** An attempt that is about to be made. */
export interface RequestEvent {
  /** Such as `flows.update`. */
  readonly operation: string
  readonly method: string
  /** The path template, without identifiers. */
  readonly path: string
  /** Counts from 1 anew for each request of the call, such as the read and the write of an `update`; more than 1 is a retry. */
  readonly attempt: number
  /** May be added to, for example `traceparent`. Does not hold the API key. */
  readonly headers: Headers
}

/** An attempt that has ended. */
export interface ResultEvent extends Omit<RequestEvent, 'headers'>, AttemptRecord {
  /** Milliseconds that it took, with the body. */
  readonly durationMs: number
  /**
   * Why it failed, if it did; then `status` may be that of an answer that broke off. Its code is `timeout` when the
   * deadline of the call ended it, and `aborted` when the caller's signal or the disposal of the client did: the
   * abort reason, with which the call rejects, is then its `cause`.
   */
  readonly error: FlowpostError<ErrorCode | 'aborted'> | undefined
  /** Milliseconds until the next attempt; `undefined` when there will be none. */
  readonly retryInMs: number | undefined
}

/** Functions that are told about every attempt. What they throw or reject with is logged and goes no further. */
export interface Hooks {
  /** Before each attempt. */
  readonly onRequest?: ((event: RequestEvent) => void) | undefined
  /** After each attempt, however it ended. */
  readonly onResult?: ((event: ResultEvent) => void) | undefined
}

/** Where the client writes single lines; `console` and pino fit. Neither keys nor contents are logged. */
export interface Logger {
  /** Each attempt. */
  debug(line: string): void
  /** Retries, deprecations, and hooks that throw. */
  warn(line: string): void
}

/** An operation that the server is going to remove. */
export interface DeprecationNotice {
  /** Such as `flows.update`. */
  readonly operation: string
  /** When it was deprecated (RFC 9745), if the server says so. */
  readonly deprecatedAt: Date | undefined
  /** When it stops working (RFC 8594), if the server says so. */
  readonly sunsetAt: Date | undefined
  /** The `Link` header, which may point to what to do instead. */
  readonly link: string | undefined
}

/** How to make a client. */
export interface FlowpostOptions {
  /** Where the server is, such as `https://flowpost.example.com`. Default: the environment variable `FLOWPOST_BASE_URL`. */
  readonly baseUrl?: string | undefined
  /**
   * An API key or an access token, or a function that returns one; it is asked before every attempt.
   * Default: the environment variable `FLOWPOST_API_KEY`.
   */
  readonly apiKey?: string | (() => string | Promise<string>) | undefined
  /** Milliseconds for a whole call, with all its attempts, pauses and bodies. Default 60,000; at most 2,147,483,647. */
  readonly timeout?: number | undefined
  /** Most milliseconds of one attempt, after which the next one starts. Default 30,000. */
  readonly attemptTimeout?: number | undefined
  /** Most further attempts after the first; with 0 every call is one attempt. Default: as many as the deadline allows. */
  readonly maxRetries?: number | undefined
  /** Sends requests. Default: `globalThis.fetch`, looked up at each attempt. */
  readonly fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined
  /** Where to write what happens. Default: nowhere. */
  readonly logger?: Logger | undefined
  /** For telemetry of your own. */
  readonly hooks?: Hooks | undefined
  /** Told once for each operation that the server marks as deprecated. Default: a warning to the logger. */
  readonly onDeprecation?: ((notice: DeprecationNotice) => void) | undefined
  /** Whether to run in a browser, where everybody can read the key. Default `false`. */
  readonly dangerouslyAllowBrowser?: boolean | undefined
  /** For tests: a number from 0 up to 1, by which pauses are spread. Default `Math.random`. */
  readonly random?: (() => number) | undefined
  /** For tests: the time. Default: the machine's. */
  readonly clock?: Clock | undefined
}
