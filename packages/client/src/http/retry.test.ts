import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { backoffMs, isRetryable, retryAfterMs } from './retry.ts'

const now = Date.UTC(2026, 10, 21)

describe('backoffMs', () => {
  it('applies full jitter to a range that doubles up to 8 s', () => {
    expect([0, 1, 2, 3, 4, 5, 100].map((retry) => backoffMs(retry, 1))).toEqual([500, 1_000, 2_000, 4_000, 8_000, 8_000, 8_000])
    fc.assert(
      fc.property(fc.nat(50), fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }), (retry, random) => {
        expect(backoffMs(retry, random)).toBe(Math.round(random * backoffMs(retry, 1)))
      }),
    )
  })
})

describe('retryAfterMs', () => {
  const read = (value: string, date?: string) => retryAfterMs(new Headers({ 'retry-after': value, ...(date && { date }) }), now)

  it('returns undefined without a valid header', () => {
    expect(retryAfterMs(new Headers(), now)).toBeUndefined()
    expect(read('soon')).toBeUndefined()
  })

  it('parses seconds', () => {
    expect(read('0')).toBe(0)
    expect(read('120')).toBe(120_000)
    expect(read('1.5')).toBe(1_500)
  })

  it('without a Date header, parses a date relative to the local time', () => {
    expect(read(new Date(now + 5_000).toUTCString())).toBe(5_000)
  })

  it('with a Date header, parses a date relative to it', () => {
    expect(read('Thu, 01 Jan 2026 00:01:00 GMT', 'Thu, 01 Jan 2026 00:00:00 GMT')).toBe(60_000)
  })

  it('returns 0 for a date in the past', () => {
    expect(read(new Date(now - 5_000).toUTCString())).toBe(0)
  })
})

const idempotent = { method: 'POST', path: '/v1/a', idempotent: true } as const
const notIdempotent = { method: 'POST', path: '/v1/a' } as const

describe('isRetryable', () => {
  it.each([408, 425, 429])('retries any request after a %i, because the server did not process it', (status) => {
    expect(isRetryable(status, 'any', notIdempotent)).toBe(true)
  })

  it.each([
    [500, 'internal'],
    [503, 'queue_full'],
    [409, 'idempotency_in_progress'],
    [undefined, 'connection_failed'],
    [200, 'connection_failed'],
    [503, 'connection_failed'],
  ])('retries only safe requests after %s %s', (status, code) => {
    expect(isRetryable(status, code, idempotent)).toBe(true)
    expect(isRetryable(status, code, { ...notIdempotent, repeatable: true })).toBe(true)
    expect(isRetryable(status, code, { ...notIdempotent, method: 'PATCH' })).toBe(true)
    expect(isRetryable(status, code, notIdempotent)).toBe(false)
  })

  it.each([
    [200, 'unexpected_response'],
    [302, 'unexpected_response'],
    [409, 'project_name_taken'],
    [412, 'etag_mismatch'],
    [undefined, 'credential_failed'],
  ])('never retries after %s %s', (status, code) => {
    expect(isRetryable(status, code, idempotent)).toBe(false)
  })

  it.each([
    [400, 'connection_failed'],
    [404, 'connection_failed'],
    [409, 'connection_failed'],
    [422, 'idempotency_in_progress'],
  ])('does not retry after a %i with the code %s in its body', (status, code) => {
    expect(isRetryable(status, code, idempotent)).toBe(false)
  })
})
