import type { Failure } from './failure.ts'

/** The rules for how long to wait between attempts, and when to give up. */
export interface RetryPolicy {
  /** The maximum random wait before the second attempt, in milliseconds. The maximum doubles with each subsequent attempt. */
  readonly initialWaitMs: number
  /**
   * The maximum random wait before any attempt, in milliseconds. If the provider requests a wait, the total wait can be
   * longer: the requested wait plus the random wait.
   */
  readonly maxWaitMs: number
  /** The maximum time, in milliseconds, from the start of the first attempt to the start of the last one. */
  readonly budgetMs: number
}

/** The default policy: wait at most 5 s before the second attempt, double that maximum up to 1 h, and give up after 24 h. */
export const defaultRetryPolicy: RetryPolicy = { initialWaitMs: 5_000, maxWaitMs: 3_600_000, budgetMs: 86_400_000 }

/** The reaction to a lost response from the provider: `retry` risks a duplicate message, `hold` risks that the message is never sent. */
export type AmbiguousPolicy = 'retry' | 'hold'

/** A failed attempt, with everything that decides whether it is retried. */
export interface FailedAttempt {
  readonly failure: Failure
  /** The number of the attempt, starting at 1. If a user requests a retry of the delivery, the next attempt is number 1. */
  readonly attemptNumber: number
  /** The time from the start of attempt number 1 to the failure, in milliseconds. */
  readonly elapsedMs: number
  /** The wait that the provider requested, in milliseconds. A negative number or NaN is ignored. */
  readonly retryAfterMs?: number | undefined
  /**
   * The reaction if the requested wait would delay the retry beyond `budgetMs`. `end` makes no more retries. `ignore` ignores
   * the requested wait and uses only the random wait. @default 'end'
   */
  readonly excessiveRetryAfter?: 'end' | 'ignore'
  /** Returns a number from 0 (inclusive) to 1 (exclusive), like `Math.random`. */
  readonly random: () => number
  readonly policy: RetryPolicy
  readonly ambiguousPolicy: AmbiguousPolicy
}

/** The decision: retry after a delay in milliseconds, or end with a final status. */
export type RetryDecision =
  | { readonly retry: true; readonly delayMs: number }
  | { readonly retry: false; readonly status: 'failed' | 'ambiguous' }

/**
 * Decides whether and when to retry a failed attempt.
 *
 * - After an `ambiguous` failure, the policy `hold` ends the delivery with the status `ambiguous`. The policy `retry` retries
 *   the attempt even if the failure is not `retryable`.
 * - Any other failure that is not `retryable` ends the delivery with the status `failed`.
 * - The wait has full jitter: a random value from 0 to `min(maxWaitMs, initialWaitMs * 2 ** (attemptNumber - 1))`. Source:
 *   AWS Architecture Blog, "Exponential Backoff And Jitter".
 * - If the provider requested a wait (RFC 9110, section 10.2.3), the random wait is added to it. Without the random wait, all
 *   messages with the same requested wait would be retried at the same time.
 * - If the retry would start after the end of `budgetMs`, the delivery is `failed`. Exception: if `excessiveRetryAfter` is
 *   `ignore` and the random wait alone ends in time, the retry is made after the random wait.
 */
export const decideRetry = (attempt: FailedAttempt): RetryDecision => {
  const { failure, policy } = attempt
  if (failure.kind === 'ambiguous') {
    if (attempt.ambiguousPolicy === 'hold') return { retry: false, status: 'ambiguous' }
  } else if (!failure.retryable) return { retry: false, status: 'failed' }

  const requestedMs = attempt.retryAfterMs !== undefined && attempt.retryAfterMs > 0 ? Math.ceil(attempt.retryAfterMs) : 0
  const jitterMs = Math.floor(attempt.random() * getMaxJitterMs(policy, attempt.attemptNumber))
  const delaysMs = attempt.excessiveRetryAfter === 'ignore' ? [requestedMs + jitterMs, jitterMs] : [requestedMs + jitterMs]
  const delayMs = delaysMs.find((ms) => attempt.elapsedMs + ms <= policy.budgetMs)
  return delayMs === undefined ? { retry: false, status: 'failed' } : { retry: true, delayMs }
}

/**
 * Returns the maximum random wait after an attempt, in milliseconds. The exponent is limited, because a very large one would
 * produce Infinity, and Infinity multiplied by an `initialWaitMs` of 0 is NaN.
 */
const getMaxJitterMs = (policy: RetryPolicy, attemptNumber: number): number => {
  const doublings = Math.min(Math.max(attemptNumber - 1, 0), 64)
  return Math.min(policy.maxWaitMs, policy.initialWaitMs * 2 ** doublings)
}
