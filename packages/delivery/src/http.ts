import type { FailureKind } from '@flowpost/domain'
import type { Clock } from './clock.ts'
import { DeliveryError } from './delivery-error.ts'

/** What an exchange needs of a provider's call. */
export interface HttpCall<Body = NonNullable<RequestInit['body']>> {
  /** `call.fetch` for an address of the deployment's, `call.egress.fetch` for one that a tenant gave. */
  readonly fetch: (
    url: string,
    init: HttpRequest<Body> & { readonly signal: AbortSignal; readonly redirect: 'manual' },
  ) => Promise<Response>
  readonly signal: AbortSignal
  readonly clock: Clock
  /** Given for the request that carries the message; left out where asking twice does no harm. */
  readonly leaving?: () => void
}

/** What is asked. */
export interface HttpRequest<Body = NonNullable<RequestInit['body']>> {
  readonly method?: string
  readonly headers?: Record<string, string>
  readonly body?: Body
}

/** An answer with its body read, whatever its status. */
export interface HttpAnswer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The body when it is a JSON object, else an empty object. */
  readonly json: Readonly<Record<string, unknown>>
  /** What `Retry-After` asks for, in milliseconds. */
  readonly retryAfterMs: number | undefined
}

const largestBodyBytes = 1024 * 1024
const longestRetryAfterMs = 7 * 24 * 60 * 60 * 1000

/** Failures that happen before a request is written: name look-up, connecting, TLS. */
const beforeSending =
  /^(?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|ENODATA|ETIMEOUT|ESERVFAIL|EREFUSED|UND_ERR_CONNECT_TIMEOUT|EPROTO)$|CERT|_TLS_|_SSL_|^UNABLE_TO_/

/**
 * Makes one HTTP request and reads the answer, up to 1 MiB. Redirects are not followed: a credential is
 * meant for the address it was given for.
 *
 * @throws DeliveryError: `provider` when the request was not written, `ambiguous` when the answer to a message was lost.
 */
export async function exchange<Body>(call: HttpCall<Body>, url: string, init: HttpRequest<Body>): Promise<HttpAnswer> {
  call.leaving?.()
  let response: Response
  try {
    response = await call.fetch(url, { ...init, redirect: 'manual', signal: call.signal })
  } catch (error) {
    if (call.signal.aborted) throw error
    throw networkFailure(error, call.leaving !== undefined)
  }
  let text: string
  try {
    text = await readText(response)
  } catch (error) {
    if (call.signal.aborted) throw error
    if (response.status < 400) throw networkFailure(error, call.leaving !== undefined)
    text = ''
  }
  return {
    status: response.status,
    headers: response.headers,
    text,
    json: parseObject(text),
    retryAfterMs: readRetryAfter(response.headers.get('retry-after'), call.clock.now()),
  }
}

/**
 * The usual meaning of an HTTP status that is not a success (RFC 9110 section 15, RFC 6585). A provider handles its own
 * cases first.
 *
 * - 429 is `rate`; 502 and 504 are `ambiguous`; 408, 425 and every other 5xx are `provider`: to be retried.
 * - 401, 402 and 403 are `credential`; 404 and 410 `target`; every other 4xx is `content`: final.
 * - Below 400, a redirect or a success that was not expected: `provider`, and final.
 *
 * @param detail In your own words; what was answered is added beside it.
 */
export function statusFailure(answer: HttpAnswer, detail: string, code = `http_${answer.status}`): DeliveryError {
  const { status, retryAfterMs } = answer
  const input = { code, detail, answer: spoken(answer), ...(retryAfterMs === undefined ? {} : { retryAfterMs }) }
  if (status === 429) return new DeliveryError({ kind: 'rate', ...input })
  // A gateway that lost the answer of the server behind it: the message may have been taken.
  if (status === 502 || status === 504) return new DeliveryError({ kind: 'ambiguous', ...input })
  if (status >= 500 || status === 408 || status === 425) return new DeliveryError({ kind: 'provider', ...input })
  return new DeliveryError({ kind: finalKind(status), retryable: false, ...input })
}

/** An answer as the log of a delivery has it. */
export function spoken({ status, text }: HttpAnswer): string {
  return `${status} ${text}`.trim()
}

function finalKind(status: number): FailureKind {
  if (status === 401 || status === 402 || status === 403) return 'credential'
  if (status === 404 || status === 410) return 'target'
  return status >= 400 ? 'content' : 'provider'
}

/** Reads `Retry-After` (RFC 9110 section 10.2.3): seconds, or a date. At most 7 days. */
function readRetryAfter(value: string | null, now: number): number | undefined {
  if (value === null) return undefined
  const waitMs = /^\d+(?:\.\d+)?$/.test(value.trim()) ? Number(value) * 1000 : Date.parse(value) - now
  return Number.isFinite(waitMs) ? Math.min(Math.max(Math.ceil(waitMs), 0), longestRetryAfterMs) : undefined
}

function networkFailure(error: unknown, carriesMessage: boolean): DeliveryError {
  if (error instanceof DeliveryError) return error
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  const systemCode = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
  const words = cause instanceof Error ? cause.message : String(cause)
  const code = systemCode === '' ? 'connection_lost' : systemCode.toLowerCase()
  if (beforeSending.test(systemCode) || !carriesMessage) {
    return new DeliveryError({ kind: 'provider', code, detail: 'The provider could not be reached.', answer: words })
  }
  const detail = 'The answer was lost, so the message may have been accepted.'
  return new DeliveryError({ kind: 'ambiguous', code, detail, answer: words })
}

async function readText(response: Response): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength
    if (size > largestBodyBytes) break
    text += decoder.decode(chunk, { stream: true })
  }
  return text + decoder.decode()
}

function parseObject(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}
