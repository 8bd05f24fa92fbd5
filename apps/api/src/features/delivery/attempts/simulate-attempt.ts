import { DeliveryError } from '@flowpost/delivery'
import { type Channel, type ReportedReceipt, simulateAttempt } from '@flowpost/domain'
import type { StartedAttempt } from './start-attempts.ts'

const scriptOf = (channel: Channel, { target, attempt_in_budget }: StartedAttempt) => simulateAttempt(channel, target, attempt_in_budget)

/**
 * Returns the remaining duration of an attempt, in milliseconds; 0 unless its recipient simulates a slow provider. During
 * this time, the delivery is `sending`, but its job waits in the queue, so the attempt occupies no worker slot.
 */
export const remainingMsOf = (channel: Channel | undefined, attempt: StartedAttempt): number =>
  attempt.test && channel !== undefined ? Math.max(0, scriptOf(channel, attempt).durationMs - attempt.elapsed_ms) : 0

/**
 * Returns the duration to record for a test message's attempt, in milliseconds; `null` if it is unknown.
 * @param passedMs the time since `send` was called, in milliseconds.
 */
export const simulatedDurationMs = (channel: Channel | undefined, attempt: StartedAttempt, passedMs: number): number | null => {
  if (!attempt.is_interrupted) return Math.round(passedMs)
  // An attempt is interrupted for one of two reasons:
  // - The recipient simulates a slow provider, and the job waited in the queue (see `remainingMsOf`). `elapsed_ms` includes
  //   that wait.
  // - The process ended or lost its lease, so the time at which the attempt ended is unknown.
  return channel !== undefined && scriptOf(channel, attempt).durationMs > 0 ? Math.round(attempt.elapsed_ms + passedMs) : null
}

/**
 * Returns the receipt that the recipient of a test message simulates, if any.
 * @throws DeliveryError if the recipient simulates a failure. The error is the same as for a real failure.
 */
export const requireSimulatedSuccess = (channel: Channel, attempt: StartedAttempt): ReportedReceipt | undefined => {
  const { failure, receipt } = scriptOf(channel, attempt)
  if (failure) throw new DeliveryError(failure)
  return receipt
}
