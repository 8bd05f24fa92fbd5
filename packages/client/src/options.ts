import type { Clock } from './calls/call-deadline.ts'
import type { AttemptRecord, ErrorCode, FlowpostError } from './errors.ts'
import type { LockedDigests, SettingsDrift } from './lock.ts'

/** Options of every call. */
export interface CallOptions {
  /** Aborts the call at any time. The call rejects immediately with the abort reason. */
  readonly signal?: AbortSignal | undefined
  /**
   * Milliseconds for the whole call, including all attempts, delays and response bodies. Defaults to the client's
   * `timeout` or to the query parameter `wait` plus 10 s, whichever is longer.
   */
  readonly timeout?: number | undefined
  /**
   * Milliseconds for one attempt. Defaults to the client's `attemptTimeout` or to the query parameter `wait` plus 5 s,
   * whichever is longer.
   */
  readonly attemptTimeout?: number | undefined
  /** Maximum number of retries. Defaults to the client's `maxRetries`. */
  readonly maxRetries?: number | undefined
  /**
   * Additional request headers. They can replace the client's `X-Request-Id`, but no other header that the client sets. A
   * call fails with `invalid_argument` if they include `Idempotency-Key`, which has its own option, or a header that
   * `fetch` sets: `Host`, `Content-Length`, `Expect` or a connection header.
   */
  readonly headers?: Readonly<Record<string, string>> | undefined
}

/** Options of a call that supports idempotency keys. */
export interface IdempotentOptions extends CallOptions {
  /**
   * A key of 1 to 255 visible ASCII characters that identifies the action. Within 24 hours, the server processes
   * requests with the same key and body only once, even if different processes send them. A key applies to one user,
   * method and path, whichever project the body names. To keep keys distinct, include the project and the purpose, as in
   * `${project.id}:invoice-42:ready`. Defaults to a random key for each call.
   */
  readonly idempotencyKey?: string | undefined
}

/** Options of a call that changes a resource. */
export interface ConditionalOptions extends CallOptions {
  /**
   * Writes only if the resource still has this entity tag. Otherwise the call fails with `etag_mismatch`. The prefix
   * `W/`, which a proxy may have added to the server's tag, is ignored.
   */
  readonly ifMatch?: string | undefined
}

/** Options of a read that may be conditional. */
export interface CachedOptions extends CallOptions {
  /** An entity tag. The call resolves to `undefined` if the resource still has it. Without a tag, the read is unconditional. */
  readonly ifNoneMatch?: string | undefined
}

/** Options of an unconditional read, which always resolves to the resource. */
export interface UncachedOptions extends CallOptions {
  /** Must be omitted. For a conditional read, use {@link CachedOptions}. */
  readonly ifNoneMatch?: undefined
}

/** An attempt that is about to be sent. */
export interface RequestEvent {
  /** The name of the operation, such as `flows.update`. */
  readonly operation: string
  readonly method: string
  /** The path with parameter names instead of identifiers, such as `/v1/settings/projects/:project_id`. */
  readonly path: string
  /**
   * The number of the attempt, starting at 1 for each request of the call. An `update` with a function makes at least
   * two requests, a read and a write. A number above 1 is a retry.
   */
  readonly attempt: number
  /** The request headers without the API key. Hooks may add headers, such as `traceparent`. */
  readonly headers: Headers
}

/** An attempt that has ended. */
export interface ResultEvent extends Omit<RequestEvent, 'headers'>, AttemptRecord {
  /** The duration of the attempt in milliseconds, including the time to read the response body. */
  readonly durationMs: number
  /**
   * The error of a failed attempt; `undefined` after a success. Its code is `timeout` if the call's deadline passed, and
   * `aborted` if the caller's signal aborted or the client was disposed. For `aborted`, `cause` is the abort reason. If the
   * response was cut off, the attempt has both an error and a `status`.
   */
  readonly error: FlowpostError<ErrorCode | 'aborted'> | undefined
  /** Milliseconds until the request is retried; `undefined` if it is not retried. */
  readonly retryInMs: number | undefined
}

/** Functions that observe every attempt. Their errors and rejections are logged and do not affect calls. */
export interface Hooks {
  /** Called before each attempt. */
  readonly onRequest?: ((event: RequestEvent) => void) | undefined
  /** Called after each attempt, whether it succeeded, failed or was aborted. */
  readonly onResult?: ((event: ResultEvent) => void) | undefined
}

/** A line-based logger, such as `console` or pino. The client logs neither keys nor message content. */
export interface Logger {
  /** Logs an attempt that succeeded, or that failed and will not be retried. */
  debug(line: string): void
  /** Logs an attempt that will be retried, a deprecation, or a hook that threw. */
  warn(line: string): void
}

/** An operation that the server has deprecated. */
export interface DeprecationNotice {
  /** The name of the operation, such as `flows.update`. */
  readonly operation: string
  /** The date of the deprecation (RFC 9745), if the server sends it. */
  readonly deprecatedAt: Date | undefined
  /** The date of the removal (RFC 8594), if the server sends it. */
  readonly sunsetAt: Date | undefined
  /** The `Link` header, which may point to a migration guide. */
  readonly link: string | undefined
}

/** Options of a client. */
export interface FlowpostOptions {
  /** The URL of the server, such as `https://flowpost.example.com`. Defaults to the environment variable `FLOWPOST_BASE_URL`. */
  readonly baseUrl?: string | undefined
  /**
   * An API key or access token, or a function that returns one. The function is called before every attempt.
   * Defaults to the environment variable `FLOWPOST_API_KEY`.
   */
  readonly apiKey?: string | (() => string | Promise<string>) | undefined
  /**
   * Milliseconds for a whole call, including all attempts, delays and response bodies; at most 2,147,483,647.
   * @default 60_000
   */
  readonly timeout?: number | undefined
  /**
   * Milliseconds for one attempt. An attempt that takes longer is aborted and retried.
   * @default 30_000
   */
  readonly attemptTimeout?: number | undefined
  /** Maximum number of retries; 0 disables retries. Defaults to no limit: the client retries until the deadline. */
  readonly maxRetries?: number | undefined
  /** The function that sends requests. Defaults to `globalThis.fetch`, which is looked up for each attempt. */
  readonly fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined
  /** Receives log lines. Defaults to no logging. */
  readonly logger?: Logger | undefined
  /** Functions that observe every attempt, for your own telemetry. */
  readonly hooks?: Hooks | undefined
  /** Called once for each operation that the server marks as deprecated. Defaults to a warning in the log. */
  readonly onDeprecation?: ((notice: DeprecationNotice) => void) | undefined
  /**
   * The content of the lock file that `flowpost types` writes, or an object with only its digests. If a request names its
   * project by key, the client also sends the digest of the project's settings. For a batch, it sends only the digest for
   * the project of the first notification. The server reports whether the settings have changed since the file was written,
   * but never rejects a message because of a change.
   */
  readonly lock?: LockedDigests | undefined
  /**
   * Called when the settings of a project in `lock` have changed on the server, at most once per project, even if several
   * clients use the same `lock` object. Errors that the function throws are logged and do not affect calls.
   */
  readonly onDrift?: ((drift: SettingsDrift) => void) | undefined
  /**
   * Allows the client to run in a browser, where users can read the API key.
   * @default false
   */
  readonly dangerouslyAllowBrowser?: boolean | undefined
  /**
   * Returns a random number in the range [0, 1) for jitter. For tests.
   * @default Math.random
   */
  readonly random?: (() => number) | undefined
  /** The clock for deadlines and delays. For tests. Defaults to the clock of the platform. */
  readonly clock?: Clock | undefined
}

/** The request field that turns a request into a dry run. A dry run changes nothing. */
export interface DryRun {
  readonly dry_run: true
}

/** The request field that selects a real run, which is the default. */
export interface NoDryRun {
  readonly dry_run?: false
}
