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

// The largest number that the column `duration_ms` can store; about 25 days.
const maxDurationMs = 2 ** 31 - 1

/**
 * Returns the duration to record for a test message's attempt, in milliseconds; `null` if it is unknown.
 * @param passedMs the time since `send` was called, in milliseconds.
 */
export const simulatedDurationMs = (channel: Channel | undefined, attempt: StartedAttempt, passedMs: number): number | null => {
  if (!attempt.is_interrupted) return Math.round(passedMs)
  // There are two kinds of interrupted attempts:
  // - The recipient simulates a slow provider, so the job waited in the queue (see `remainingMsOf`). The duration is known,
  //   because `elapsed_ms` includes that wait. If the server was stopped for weeks, the wait may exceed `maxDurationMs`.
  // - The process ended or lost its lease. The duration is unknown, because the time at which the attempt ended is unknown.
  const waited = channel !== undefined && scriptOf(channel, attempt).durationMs > 0
  return waited ? Math.min(Math.round(attempt.elapsed_ms + passedMs), maxDurationMs) : null
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
