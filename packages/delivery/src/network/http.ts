import { type FailureKind, isLoopbackHost } from '@flowpost/domain'
import type { Clock } from '../clock.ts'
import { DeliveryError } from '../delivery-error.ts'
import { createNetworkError, findRequestError } from './network-error.ts'

/** The part of a `ProviderContext` that an HTTP request needs. */
export interface HttpContext<Body = NonNullable<RequestInit['body']>> {
  /**
   * The function with which {@link sendRequest} sends the request. The `fetch` in a `ProviderContext` is only for addresses
   * that are fixed in the provider's code or configured by the deployment. For an address from settings or secrets, call
   * `sendThroughEgress`, which calls {@link sendRequest} with a different `fetch`.
   */
  readonly fetch: (
    url: string,
    init: HttpRequest<Body> & { readonly signal: AbortSignal; readonly redirect: 'manual' },
  ) => Promise<Response>
  readonly signal: AbortSignal
  readonly clock: Clock
  /**
   * Called before the request is sent. Set this function only for the request that carries the message. If the response to
   * that request is lost, the error is `ambiguous`, because the provider may have received the message. Omit this function
   * for requests that are safe to repeat.
   */
  readonly markSendStarted?: () => void
  /**
   * Returns whether the connection was opened, or undefined if unknown. Set this function if your `fetch` can report this.
   * The result decides whether the error of a request that carries a message is `ambiguous`:
   * - `false`: not ambiguous, because no byte of the request was written.
   * - `true`: ambiguous, because the provider may have received the request.
   * - `undefined`: depends on the error. Most TLS errors, for example, occur before the request is written.
   *
   * @default unknown
   */
  readonly wasConnected?: () => boolean | undefined
}

/** An HTTP request. */
export interface HttpRequest<Body = NonNullable<RequestInit['body']>> {
  readonly method?: string
  readonly headers?: Record<string, string>
  readonly body?: Body
}

/** Options for {@link sendRequest}. */
export interface SendRequestOptions {
  /**
   * Whether a response with a status from 200 to 299 is a success even if its body is lost, incomplete or too slow.
   * `text` is then empty. Set this option if the provider does not need the body, so that an accepted message is not
   * sent again.
   * @default false
   */
  readonly statusSuffices?: boolean
  /**
   * The maximum number of bytes of the body to read. The rest is discarded, and the connection is closed. With 0, the body
   * is not awaited. @default 1 MiB
   */
  readonly maxBodyBytes?: number
}

/** An HTTP response with any status, and its body. */
export interface HttpResponse {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The parsed body if it is a JSON object, otherwise an empty object. */
  readonly json: Readonly<Record<string, unknown>>
  /** The delay, in milliseconds, that the header `Retry-After` requests. */
  readonly retryAfterMs: number | undefined
}

const defaultMaxBodyBytes = 1024 * 1024
const maxRetryAfterMs = 7 * 24 * 60 * 60 * 1000

/**
 * Sends one HTTP request and reads up to `maxBodyBytes` of the response. Does not follow redirects, because they could send the
 * credential to another address.
 *
 * @throws DeliveryError of kind `ambiguous` if the request carried a message and the response was lost. Other network errors
 * become a DeliveryError of kind `provider`. An invalid request is a `provider_fault`, because nothing was sent.
 * Two errors are rethrown unchanged: a DeliveryError from `context.fetch`, and any error after `context.signal` has aborted. If
 * the status is 400 or higher, a lost body is not an error: `text` is empty.
 */
export async function sendRequest<Body>(
  context: HttpContext<Body>,
  url: string,
  request: HttpRequest<Body>,
  { statusSuffices = false, maxBodyBytes = defaultMaxBodyBytes }: SendRequestOptions = {},
): Promise<HttpResponse> {
  context.markSendStarted?.()
  const carriesMessage = context.markSendStarted !== undefined
  let response: Response
  try {
    response = await context.fetch(url, { ...request, redirect: 'manual', signal: context.signal })
  } catch (error) {
    if (context.signal.aborted) throw error
    const wasConnected = context.wasConnected?.()
    throw (wasConnected ? undefined : findRequestError(error, url, request)) ?? createNetworkError(error, carriesMessage, wasConnected)
  }
  let text: string
  try {
    text = await readUntilAborted(response, maxBodyBytes, context.signal)
  } catch (error) {
    if (response.status < 400 && !(statusSuffices && response.ok)) {
      throw context.signal.aborted ? error : createNetworkError(error, carriesMessage, true)
    }
    text = ''
  }
  return {
    status: response.status,
    headers: response.headers,
    text,
    json: parseObject(text),
    retryAfterMs: parseRetryAfter(response.headers.get('retry-after'), context.clock.now()),
  }
}

/**
 * Creates the error for an unsuccessful HTTP status, based on the status's usual meaning (RFC 9110 section 15, RFC
 * 6585). If a provider uses a status in a special way, handle that case before you call this function.
 *
 * - Retryable: 429 is `rate`; 502 and 504 are `ambiguous`; 408, 425 and other 5xx are `provider`.
 * - Final: 401, 402 and 403 are `credential`; 404 and 410 are `target`; other 4xx are `content`; redirects and unexpected
 *   success statuses are `provider`.
 *
 * @param detail Explains the error. Do not quote the response here, because it is added as `providerResponse`.
 * @param code The error code. @default `http_<status>`
 */
export function createStatusError(response: HttpResponse, detail: string, code = `http_${response.status}`): DeliveryError {
  const { status, retryAfterMs } = response
  const input = { code, detail, providerResponse: formatResponse(response), ...(retryAfterMs === undefined ? {} : { retryAfterMs }) }
  if (status === 429) return new DeliveryError({ kind: 'rate', ...input })
  // A gateway lost the response of the server behind it. That server may have accepted the message.
  if (status === 502 || status === 504) return new DeliveryError({ kind: 'ambiguous', ...input })
  if (status >= 500 || status === 408 || status === 425) return new DeliveryError({ kind: 'provider', ...input })
  return new DeliveryError({ kind: getFinalKind(status), retryable: false, ...input })
}

/** Formats a response's status and body for the delivery log. */
export function formatResponse({ status, text }: HttpResponse): string {
  return `${status} ${text}`.trim()
}

/**
 * Parses the base URL of an API from the deployment's configuration. Appends a slash if the URL does not end with one.
 *
 * @throws TypeError when the URL is invalid. It must use HTTPS, except on a loopback address, and must not have a user,
 * password, query or fragment.
 */
export function parseApiUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const host = url?.hostname.replace(/^\[(.*)\]$/, '$1') ?? ''
  if (!url || !(url.protocol === 'https:' || (url.protocol === 'http:' && isLoopbackHost(host)))) {
    throw new TypeError('An API URL must use HTTPS, or HTTP on a loopback address.')
  }
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw new TypeError('An API URL must not have a user, password, query or fragment.')
  }
  return url.href.endsWith('/') ? url.href : `${url.href}/`
}

function getFinalKind(status: number): FailureKind {
  if (status === 401 || status === 402 || status === 403) return 'credential'
  if (status === 404 || status === 410) return 'target'
  return status >= 400 ? 'content' : 'provider'
}

/**
 * Parses the header `Retry-After` (RFC 9110 section 10.2.3), which contains seconds or a date. Returns a delay in
 * milliseconds, of at most 7 days.
 */
function parseRetryAfter(value: string | null, now: number): number | undefined {
  if (value === null) return undefined
  const delayMs = /^\d+(?:\.\d+)?$/.test(value.trim()) ? Number(value) * 1000 : Date.parse(value) - now
  return Number.isFinite(delayMs) ? Math.min(Math.max(Math.ceil(delayMs), 0), maxRetryAfterMs) : undefined
}

/**
 * Reads the body. Rejects as soon as the signal aborts, without waiting for the stream, which may fail several turns of
 * the event loop later.
 */
async function readUntilAborted(response: Response, maxBytes: number, signal: AbortSignal): Promise<string> {
  signal.throwIfAborted()
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const onAbort = () => reject(signal.reason)
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    return await Promise.race([readText(response, maxBytes), aborted])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}

/** Reads at most `maxBytes` of the body, and cancels the rest. */
async function readText(response: Response, maxBytes: number): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  let bytesLeft = maxBytes
  if (bytesLeft === 0) await response.body?.cancel()
  else
    for await (const chunk of response.body ?? []) {
      text += decoder.decode(chunk.subarray(0, bytesLeft), { stream: true })
      bytesLeft -= chunk.byteLength
      if (bytesLeft <= 0) break
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
