import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { backoffMs, isRetryable, retryAfterMs } from './retry.ts'

const now = Date.UTC(2026, 10, 21)

describe('backoffMs', () => {
  it('spreads over the whole range, which doubles up to 8 s', () => {
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

  it('is undefined without the header, and for what is neither seconds nor a date', () => {
    expect(retryAfterMs(new Headers(), now)).toBeUndefined()
    expect(read('soon')).toBeUndefined()
  })

  it('reads seconds', () => {
    expect(read('0')).toBe(0)
    expect(read('120')).toBe(120_000)
    expect(read('1.5')).toBe(1_500)
  })

  it('reads a date against the own clock when the server gives no date', () => {
    expect(read(new Date(now + 5_000).toUTCString())).toBe(5_000)
  })

  it('reads a date against the clock of the server when there is one', () => {
    expect(read('Thu, 01 Jan 2026 00:01:00 GMT', 'Thu, 01 Jan 2026 00:00:00 GMT')).toBe(60_000)
  })

  it('is 0 for a date that has passed', () => {
    expect(read(new Date(now - 5_000).toUTCString())).toBe(0)
  })
})

const repeatable = { method: 'POST', path: '/v1/a', idempotent: true } as const
const once = { method: 'POST', path: '/v1/a' } as const

describe('isRetryable', () => {
  it.each([408, 425, 429])('repeats after a %i whatever the request is, because the server did not act on it', (status) => {
    expect(isRetryable(status, 'any', once)).toBe(true)
  })

  it.each([
    [500, 'internal'],
    [503, 'queue_full'],
    [409, 'idempotency_in_progress'],
    [undefined, 'connection_failed'],
    [200, 'connection_failed'],
    [503, 'connection_failed'],
  ])('repeats after %s %s only what can be repeated', (status, code) => {
    expect(isRetryable(status, code, repeatable)).toBe(true)
    expect(isRetryable(status, code, { ...once, repeatable: true })).toBe(true)
    expect(isRetryable(status, code, { ...once, method: 'PATCH' })).toBe(true)
    expect(isRetryable(status, code, once)).toBe(false)
  })

  it.each([
    [200, 'unexpected_response'],
    [302, 'unexpected_response'],
    [409, 'project_name_taken'],
    [412, 'etag_mismatch'],
    [undefined, 'credential_failed'],
  ])('never repeats after %s %s', (status, code) => {
    expect(isRetryable(status, code, repeatable)).toBe(false)
  })

  it.each([
    [400, 'connection_failed'],
    [404, 'connection_failed'],
    [409, 'connection_failed'],
    [422, 'idempotency_in_progress'],
  ])('does not repeat after a %i because its body says %s', (status, code) => {
    expect(isRetryable(status, code, repeatable)).toBe(false)
  })
})
