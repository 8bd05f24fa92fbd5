import type { Route } from '../route.ts'

/**
 * Returns whether another attempt is safe and may succeed.
 *
 * @param status The HTTP status; `undefined` if there was no response.
 * @param code The error code of the failure.
 * @param route The operation. If the server may have processed a POST, repeating it is safe only if the operation supports
 * idempotency keys or is marked as `repeatable`. All other methods are idempotent, even PATCH, which sets fields to given
 * values.
 */
export const isRetryable = (status: number | undefined, code: string, { method, idempotent, repeatable }: Route): boolean => {
  // The server did not process the request: RFC 9110, section 15.5.9; RFC 8470, section 5.2; RFC 6585, section 4.
  if ([408, 425, 429].includes(status as number)) return true
  if (method === 'POST' && !idempotent && !repeatable) return false
  // All other client errors (4xx) are final, except a 409 with this code. The `code` of the final errors is ignored, because
  // `code` comes from the untrusted response body.
  if (status === 409) return code === 'idempotency_in_progress'
  return !status || status < 400 ? code === 'connection_failed' : status >= 500
}

/**
 * Returns the delay before a retry in milliseconds: exponential backoff with full jitter. The upper limit is 0.5 s for
 * the first retry and doubles with each retry, up to 8 s.
 *
 * @param retry The number of the retry, starting at 0.
 * @param random A random number in the range [0, 1).
 */
export const backoffMs = (retry: number, random: number): number => Math.round(random * Math.min(8_000, 500 * 2 ** retry))

/**
 * Returns the milliseconds to wait according to `Retry-After` (RFC 9110, section 10.2.3), which is a number of seconds or a date.
 * A date is compared with the `Date` header of the response, if there is one, so that clock skew has no effect.
 */
export const retryAfterMs = (headers: Headers, now = Date.now()): number | undefined => {
  const value = headers.get('retry-after') ?? ''
  const ms = /^[\d.]+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - (Date.parse(headers.get('date') ?? '') || now)
  return Number.isNaN(ms) ? undefined : Math.max(0, ms)
}
