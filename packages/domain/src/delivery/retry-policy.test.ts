import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Failure } from './failure.ts'
import { decideRetry, defaultRetryPolicy, type FailedAttempt } from './retry-policy.ts'

const failure = (changes: Partial<Failure> = {}): Failure => ({
  kind: 'provider',
  code: '451',
  detail: 'Try later',
  retryable: true,
  ...changes,
})
const decide = (changes: Partial<FailedAttempt> = {}) =>
  decideRetry({
    failure: failure(),
    attemptNumber: 1,
    elapsedMs: 0,
    random: () => 0.5,
    policy: defaultRetryPolicy,
    ambiguousPolicy: 'retry',
    ...changes,
  })
/** Returns the delay before the retry, in milliseconds. */
const waitMs = (changes: Partial<FailedAttempt> = {}): number => {
  const decision = decide(changes)
  if (!decision.retry) throw new Error(`final: ${decision.status}`)
  return decision.delayMs
}
const almostOne = () => 1 - Number.EPSILON

describe('the wait', () => {
  test('is random between 0 and 5 s, doubling up to 1 h', () => {
    const longest = [1, 2, 3, 4, 9, 10, 11, 12, 5_000].map((attemptNumber) => waitMs({ attemptNumber, random: almostOne }) + 1)
    expect(longest).toEqual([5_000, 10_000, 20_000, 40_000, 1_280_000, 2_560_000, 3_600_000, 3_600_000, 3_600_000])
    expect(waitMs({ attemptNumber: 7, random: () => 0 })).toBe(0)
    expect(waitMs({ attemptNumber: 2 })).toBe(5_000)
  })

  test('starts when the attempt fails, not when the first attempt starts', () => {
    expect(waitMs({ elapsedMs: 60_000 })).toBe(2_500)
  })

  test('adds the jitter to the wait that the provider requested', () => {
    expect(waitMs({ retryAfterMs: 30_000 })).toBe(32_500)
    expect(waitMs({ retryAfterMs: 0.5, random: () => 0 })).toBe(1)
  })

  test.each([86_399_999, 86_400_001, Number.POSITIVE_INFINITY])(
    'ignores a Retry-After of %d ms that exceeds the budget if excessiveRetryAfter is ignore',
    (retryAfterMs) => {
      expect(waitMs({ retryAfterMs, excessiveRetryAfter: 'ignore' })).toBe(2_500)
      expect(decide({ elapsedMs: 86_400_000, retryAfterMs, excessiveRetryAfter: 'ignore' })).toMatchObject({ retry: false })
    },
  )

  test.each([Number.NaN, -1, Number.NEGATIVE_INFINITY, 0, undefined])('ignores a Retry-After of %s', (retryAfterMs) => {
    expect(waitMs({ retryAfterMs })).toBe(2_500)
  })

  test('is 0 if initialWaitMs is 0', () => {
    expect(waitMs({ attemptNumber: 2_000, policy: { ...defaultRetryPolicy, initialWaitMs: 0 } })).toBe(0)
  })
})

describe('gives up', () => {
  const final = { retry: false, status: 'failed' }

  test('immediately after a failure that is not retryable', () => {
    expect(decide({ failure: failure({ kind: 'target', retryable: false }) })).toEqual(final)
  })

  test('when the retry would start after the end of the budget, counted from the first attempt', () => {
    const dayMs = 86_400_000
    expect(waitMs({ elapsedMs: dayMs - 2_500 })).toBe(2_500)
    expect(decide({ elapsedMs: dayMs - 2_499 })).toEqual(final)
  })

  test.each([86_400_001, 1e300, Number.POSITIVE_INFINITY])('when the provider requests a wait of %d ms', (retryAfterMs) => {
    expect(decide({ retryAfterMs, random: () => 0 })).toEqual(final)
  })

  test('after the first attempt if the budget is 0', () => {
    expect(decide({ policy: { ...defaultRetryPolicy, budgetMs: 0 } })).toEqual(final)
  })
})

describe('an ambiguous failure', () => {
  const ambiguous = failure({ kind: 'ambiguous', retryable: false })

  test('is final under the policy hold', () => {
    expect(decide({ failure: ambiguous, ambiguousPolicy: 'hold' })).toEqual({ retry: false, status: 'ambiguous' })
    expect(decide({ failure: { ...ambiguous, retryable: true }, ambiguousPolicy: 'hold' })).toEqual({ retry: false, status: 'ambiguous' })
  })

  test('is retried under the policy retry, and fails after the end of the budget', () => {
    expect(waitMs({ failure: ambiguous })).toBe(2_500)
    expect(decide({ failure: ambiguous, elapsedMs: 86_400_000 })).toEqual({ retry: false, status: 'failed' })
  })

  test('is the only kind of failure that the policy hold affects', () => {
    expect(waitMs({ ambiguousPolicy: 'hold' })).toBe(2_500)
  })
})

test('the wait is within its limits for any policy and never exceeds the budget', () => {
  const ms = fc.nat({ max: 10_000_000 })
  fc.assert(
    fc.property(
      fc.record({ initialWaitMs: ms, maxWaitMs: ms, budgetMs: ms }),
      fc.integer({ min: 1, max: 3_000 }),
      fc.oneof(fc.constant(undefined), fc.double(), ms),
      fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      ms,
      (policy, attemptNumber, retryAfterMs, random, elapsedMs) => {
        const decision = decide({ policy, attemptNumber, retryAfterMs, random: () => random, elapsedMs })
        const askedMs = retryAfterMs !== undefined && retryAfterMs > 0 ? retryAfterMs : 0
        const upper = Math.min(policy.maxWaitMs, policy.initialWaitMs * 2 ** Math.min(attemptNumber - 1, 60))
        if (decision.retry) {
          const wait = decision.delayMs
          expect(wait).toBeGreaterThanOrEqual(askedMs)
          expect(wait).toBeLessThan(askedMs + 1 + Math.max(upper, 1))
          expect(elapsedMs + wait).toBeLessThanOrEqual(policy.budgetMs)
        } else {
          expect(decision.status).toBe('failed')
          expect(elapsedMs + askedMs + 1 + upper).toBeGreaterThan(policy.budgetMs)
        }
      },
    ),
    { numRuns: 1_000 },
  )
})

test('the wait is distributed evenly over its range', () => {
  const waits = Array.from({ length: 1_000 }, (_, index) => waitMs({ attemptNumber: 3, random: () => index / 1_000 }))
  expect(waits[0]).toBe(0)
  expect(waits[250]).toBe(5_000)
  expect(waits[999]).toBe(19_980)
})
