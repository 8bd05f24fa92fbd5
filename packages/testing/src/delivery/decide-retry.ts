import { decideRetry, type FailedAttempt, type RetryDecision } from '@flowpost/domain'
import type { MockContext } from '../state/mock-context.ts'

/**
 * Decides like the server whether and when to retry a failed attempt. The delay is at least 1 ms, because the mock's clock
 * would never reach a retry that is due at once.
 */
export const decideMockRetry = (
  { random, settings: { retryPolicy: policy } }: MockContext,
  attempt: Omit<FailedAttempt, 'random' | 'policy'>,
): RetryDecision => {
  const decision = decideRetry({ ...attempt, random, policy })
  return decision.retry ? { ...decision, delayMs: Math.max(1, decision.delayMs) } : decision
}
