import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { isDatabaseUnavailable } from '../../database/failures.ts'
import type { DeliveryMetrics } from '../../http/metrics.ts'
import { type EndedAttempt, recordedOutcome } from './outcome.ts'
import { type SettleDeps, settleAttempts } from './settle-attempts.ts'

const largestBatch = 100
// Those that end one after the other share a commit; one that ends alone does not wait for others.
const gatherMs = 5
const pauseMs = 500
// The message has gone out already, so recording that is worth waiting for a database that restarts.
const mostTries = 60

/** What a recorder needs. */
export interface RecorderDeps extends SettleDeps {
  readonly log: Logger
  readonly deliveryMetrics: DeliveryMetrics
}

/** Records ended attempts. */
export interface Recorder {
  /** Resolves once the attempt is recorded, or recording it was given up and its lease will run out. */
  record(ended: EndedAttempt): Promise<void>
}

/**
 * Records in batches: what ends while a batch commits goes into the next one, and after a batch of several also what ends
 * within {@link gatherMs}. That the message was sent and that this could be recorded are different things: when only the
 * second fails, the recording is tried again, not the sending.
 */
export const createRecorder = (deps: RecorderDeps): Recorder => {
  const { log, deliveryMetrics } = deps
  let waiting: { ended: EndedAttempt; done: () => void }[] = []
  let flushing = false

  const settleOne = async (ended: EndedAttempt): Promise<void> => {
    try {
      await settlePatiently([ended])
    } catch (error) {
      log.error({ err: error, delivery: ended.attempt.id }, 'The outcome of a delivery could not be recorded; it will be tried again.')
    }
  }

  const settlePatiently = async (batch: readonly EndedAttempt[]): Promise<void> => {
    for (let tries = 1; ; tries += 1) {
      try {
        const recorded = await settleAttempts(deps, batch)
        for (const { attempt, outcome } of recorded) deliveryMetrics.attempted(attempt.source_type, recordedOutcome(outcome))
        return
      } catch (error) {
        if (!isDatabaseUnavailable(error) || tries >= mostTries) throw error
        await sleep(pauseMs)
      }
    }
  }

  const flush = async (): Promise<void> => {
    flushing = true
    let gathers = false
    while (waiting.length > 0) {
      if (gathers && waiting.length < largestBatch) await sleep(gatherMs)
      const batch = waiting.slice(0, largestBatch)
      waiting = waiting.slice(largestBatch)
      gathers = batch.length > 1
      try {
        await settlePatiently(batch.map(({ ended }) => ended))
      } catch {
        // One that cannot be recorded must not keep its neighbours from it.
        for (const { ended } of batch) await settleOne(ended)
      }
      for (const { done } of batch) done()
    }
    flushing = false
  }

  return {
    record: (ended) =>
      new Promise((done) => {
        waiting.push({ ended, done })
        if (!flushing) void flush()
      }),
  }
}
