import type { Failure } from './failure.ts'

/** How long to wait between attempts, and when to give up. */
export interface RetryPolicy {
  /** The longest wait before the second attempt, in milliseconds. Doubles with each further one. */
  readonly initialWaitMs: number
  /** The longest wait before any attempt, in milliseconds. */
  readonly maxWaitMs: number
  /** How long after the first attempt the last one may start, in milliseconds. */
  readonly budgetMs: number
}

/** Waits of at most 5 s, doubling to at most 1 h, for up to 24 h. */
export const defaultRetryPolicy: RetryPolicy = { initialWaitMs: 5_000, maxWaitMs: 3_600_000, budgetMs: 86_400_000 }

/** What to do with a message that may or may not have reached the provider: risk a duplicate, or a loss. */
export type AmbiguousPolicy = 'retry' | 'hold'

/** An attempt that failed, and the rules to decide on. */
export interface FailedAttempt {
  readonly failure: Failure
  /** Which attempt it was, from 1. */
  readonly attemptNumber: number
  /** Milliseconds since the first attempt started; the budget runs from there. */
  readonly elapsedMs: number
  /** How long the provider asked to wait, in milliseconds. Ignored when it is negative or NaN. */
  readonly retryAfterMs?: number | undefined
  /** A number from 0 to 1, exclusive of 1, as `Math.random` gives. */
  readonly random: () => number
  readonly policy: RetryPolicy
  readonly ambiguousPolicy: AmbiguousPolicy
}

/** The delay until the next attempt, in milliseconds, or the final status. */
export type RetryDecision =
  | { readonly retry: true; readonly delayMs: number }
  | { readonly retry: false; readonly status: 'failed' | 'ambiguous' }

/**
 * Decides whether and when a failed attempt is repeated.
 *
 * - A failure of kind `ambiguous` is final, as `ambiguous`, under the policy `hold`, and retried under `retry`.
 *   Its `retryable` does not matter.
 * - Any other failure that is not retryable is final at once, as `failed`.
 * - The wait has full jitter: it is drawn evenly from 0 to `min(maxWaitMs, initialWaitMs * 2 ** (attemptNumber - 1))`.
 *   Source: AWS Architecture Blog, "Exponential Backoff And Jitter".
 * - What the provider asked for is waited out first and the jitter comes on top, so that messages that were
 *   told the same do not come back at once (RFC 9110, 10.2.3).
 * - A retry that would start later than the budget allows is not made: the delivery is `failed`.
 */
export const decideRetry = (attempt: FailedAttempt): RetryDecision => {
  const { failure, policy } = attempt
  if (failure.kind === 'ambiguous') {
    if (attempt.ambiguousPolicy === 'hold') return { retry: false, status: 'ambiguous' }
  } else if (!failure.retryable) return { retry: false, status: 'failed' }

  const asked = attempt.retryAfterMs !== undefined && attempt.retryAfterMs > 0 ? Math.ceil(attempt.retryAfterMs) : 0
  const jitter = Math.floor(attempt.random() * maxJitterMs(policy, attempt.attemptNumber))
  const delayMs = asked + jitter
  if (attempt.elapsedMs + delayMs > policy.budgetMs) return { retry: false, status: 'failed' }
  return { retry: true, delayMs }
}

/** The upper end of the wait after an attempt. The exponent is bounded, so that 0 ms never meets Infinity. */
const maxJitterMs = (policy: RetryPolicy, attemptNumber: number): number => {
  const doublings = Math.min(Math.max(attemptNumber - 1, 0), 64)
  return Math.min(policy.maxWaitMs, policy.initialWaitMs * 2 ** doublings)
}
