import { decideRetry, type FailedAttempt, type RetryDecision } from '@flowpost/domain'
import type { MockContext } from '../state/mock-context.ts'

/**
 * Decides whether and when to retry a failed attempt, using the server's rules. The delay is at least 1 ms, so that the
 * retry is scheduled on the mock's clock and starts when the clock advances.
 */
export const decideMockRetry = (
  { random, settings: { retryPolicy: policy } }: MockContext,
  attempt: Omit<FailedAttempt, 'random' | 'policy'>,
): RetryDecision => {
  const decision = decideRetry({ ...attempt, random, policy })
  return decision.retry ? { ...decision, delayMs: Math.max(1, decision.delayMs) } : decision
}
