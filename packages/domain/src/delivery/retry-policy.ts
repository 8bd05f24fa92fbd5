import type { Failure } from './failure.ts'

/** The waits between attempts, and when to give up. */
export interface RetryPolicy {
  /** The maximum wait before the second attempt, in milliseconds. Doubles with each further attempt. */
  readonly initialWaitMs: number
  /** The maximum wait before any attempt, in milliseconds. */
  readonly maxWaitMs: number
  /** The maximum time between the starts of the first and the last attempt, in milliseconds. */
  readonly budgetMs: number
}

/** The default policy: waits of up to 5 s, doubling up to 1 h, for up to 24 h. */
export const defaultRetryPolicy: RetryPolicy = { initialWaitMs: 5_000, maxWaitMs: 3_600_000, budgetMs: 86_400_000 }

/** The policy for a lost response of the provider: `retry` risks a duplicate, `hold` risks a loss. */
export type AmbiguousPolicy = 'retry' | 'hold'

/** A failed attempt with the policies for its retry. */
export interface FailedAttempt {
  readonly failure: Failure
  /** The number of the attempt, starting at 1. */
  readonly attemptNumber: number
  /** The time since the first attempt started, in milliseconds. */
  readonly elapsedMs: number
  /** The wait that the provider requested, in milliseconds. Ignored if negative or NaN. */
  readonly retryAfterMs?: number | undefined
  /** Returns a number from 0 (inclusive) to 1 (exclusive), like `Math.random`. */
  readonly random: () => number
  readonly policy: RetryPolicy
  readonly ambiguousPolicy: AmbiguousPolicy
}

/** The delay until the next attempt, in milliseconds, or the final status. */
export type RetryDecision =
  | { readonly retry: true; readonly delayMs: number }
  | { readonly retry: false; readonly status: 'failed' | 'ambiguous' }

/**
 * Decides whether and when to retry a failed attempt.
 *
 * - A failure of kind `ambiguous` is final under the policy `hold`, and retried under `retry`, regardless of `retryable`.
 * - Any other failure that is not retryable is final: the delivery is `failed`.
 * - The wait has full jitter: a random value from 0 to `min(maxWaitMs, initialWaitMs * 2 ** (attemptNumber - 1))`.
 *   Source: AWS Architecture Blog, "Exponential Backoff And Jitter".
 * - The jitter is added to the wait that the provider requested, so that messages with the same requested wait are spread
 *   out (RFC 9110, section 10.2.3).
 * - If the retry would start after the budget ends, the delivery is `failed`.
 */
export const decideRetry = (attempt: FailedAttempt): RetryDecision => {
  const { failure, policy } = attempt
  if (failure.kind === 'ambiguous') {
    if (attempt.ambiguousPolicy === 'hold') return { retry: false, status: 'ambiguous' }
  } else if (!failure.retryable) return { retry: false, status: 'failed' }

  const requestedMs = attempt.retryAfterMs !== undefined && attempt.retryAfterMs > 0 ? Math.ceil(attempt.retryAfterMs) : 0
  const jitterMs = Math.floor(attempt.random() * getMaxJitterMs(policy, attempt.attemptNumber))
  const delayMs = requestedMs + jitterMs
  if (attempt.elapsedMs + delayMs > policy.budgetMs) return { retry: false, status: 'failed' }
  return { retry: true, delayMs }
}

/** Returns the maximum jitter after an attempt. The exponent is limited, because 0 ms times Infinity is NaN. */
const getMaxJitterMs = (policy: RetryPolicy, attemptNumber: number): number => {
  const doublings = Math.min(Math.max(attemptNumber - 1, 0), 64)
  return Math.min(policy.maxWaitMs, policy.initialWaitMs * 2 ** doublings)
}
