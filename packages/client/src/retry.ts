import type { Route } from './route.ts'

/** First pause in milliseconds, before it is spread; it doubles with each retry. */
const baseDelayMs = 500
const maxDelayMs = 8_000

// The server says that it did not act on the request: RFC 9110, 15.5.9; RFC 8470, 5.2; RFC 6585, 4.
const notProcessed = [408, 425, 429]

/**
 * Whether another attempt may help and can do no harm.
 *
 * @param status The status of the answer, or `undefined` when there was none.
 * @param code The code of the failure.
 * @param route What was called. Doing it twice is the same as doing it once for every method but POST
 * (the PATCH operations of Flowpost set fields to given values), and for a POST with an idempotency key.
 */
export const isRetryable = (status: number | undefined, code: string, { method, idempotent, repeatable }: Route): boolean => {
  if (notProcessed.includes(status as number)) return true
  if (method === 'POST' && !idempotent && !repeatable) return false
  // A client error is judged by its status: its body may say anything. Only that of a 409 tells which conflict passes.
  if (status === 409) return code === 'idempotency_in_progress'
  return status === undefined || status < 400 ? code === 'connection_failed' : status >= 500
}

/** The pause before a retry: exponential back-off with full jitter, at most 8 s; `retry` counts from 0, `random` is from 0 up to 1. */
export const backoffMs = (retry: number, random: number): number => Math.round(random * Math.min(maxDelayMs, baseDelayMs * 2 ** retry))

/**
 * Reads `Retry-After` (RFC 9110, 10.2.3): seconds, or a date. A date is compared with the server's own `Date`
 * where there is one, so that a wrong clock on either side does no harm.
 */
export const retryAfterMs = (headers: Headers, now: number): number | undefined => {
  const value = headers.get('retry-after')
  if (!value) return undefined
  const ms = /^[\d.]+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - (Date.parse(headers.get('date') ?? '') || now)
  return Number.isNaN(ms) ? undefined : Math.max(0, ms)
}
