import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { isDatabaseUnavailable } from '../../database/failures.ts'
import type { DeliveryMetrics } from '../../http/metrics.ts'
import { toId } from '../../shared/ids.ts'
import { type FinishedAttempt, maxOutcomes, type RecordDeps, recordOutcomes } from './record-outcomes.ts'
import { outcomeName } from './send.ts'

/** What {@link createOutcomeWriter} uses. */
export interface OutcomeWriterDeps extends RecordDeps {
  readonly log: Logger
  readonly deliveryMetrics: DeliveryMetrics
}

/** Records outcomes in batches. */
export interface OutcomeWriter {
  /** Resolves when the outcome is recorded, or when recording was given up and the lease will expire. */
  record(finished: FinishedAttempt): Promise<void>
  /** Gives up what is not recorded and tries no more. */
  giveUp(): void
  /** Returns whether recording fails at present: then nothing more must be sent, or it would be sent again later. */
  isFailing(): boolean
}

// Attempts that finish one after the other share a commit. On a server, an attempt that finishes alone does not wait for
// others; the embedded database runs in this thread, where each transaction delays all other work, so it always lingers.
const lingerMs = 5
const embeddedLingerMs = 10
const pauseMs = 500
// The message was sent already, so recording that is worth waiting for a database that restarts.
const maxTries = 60

/**
 * Creates a writer that records in batches: attempts that finish while a batch commits go into the next one. Sending and
 * recording fail separately: when only recording fails, it is retried without sending again.
 */
export const createOutcomeWriter = (deps: OutcomeWriterDeps): OutcomeWriter => {
  const { database, log, deliveryMetrics } = deps
  let queued: { finished: FinishedAttempt; done: () => void }[] = []
  let flushing = false
  let failing = false
  const abandoned = new AbortController()

  const recordPatiently = async (batch: readonly FinishedAttempt[]): Promise<void> => {
    for (let tries = 1; ; tries += 1) {
      try {
        const recorded = await recordOutcomes(deps, batch)
        failing = false
        for (const { attempt, outcome } of recorded) deliveryMetrics.attempted(attempt.source_type, outcomeName(outcome))
        return
      } catch (error) {
        if (!isDatabaseUnavailable(error) || tries >= maxTries || abandoned.signal.aborted) throw error
        failing = true
        await sleep(pauseMs, undefined, { signal: abandoned.signal })
      }
    }
  }

  const recordSingly = async (finished: FinishedAttempt): Promise<void> => {
    try {
      await recordPatiently([finished])
    } catch (error) {
      const id = toId('delivery', finished.attempt.id)
      log.error({ err: error, delivery_id: id }, 'Recording an outcome failed; the delivery will be attempted again.')
    }
  }

  const flush = async (): Promise<void> => {
    flushing = true
    let linger = database.kind === 'embedded' ? embeddedLingerMs : 0
    while (queued.length > 0) {
      if (linger > 0 && queued.length < maxOutcomes) await sleep(linger)
      const batch = queued.slice(0, maxOutcomes)
      queued = queued.slice(maxOutcomes)
      if (database.kind === 'postgres') linger = batch.length > 1 ? lingerMs : 0
      try {
        await recordPatiently(batch.map(({ finished }) => finished))
      } catch {
        // One outcome that cannot be recorded must not prevent the others.
        for (const { finished } of batch) if (!abandoned.signal.aborted) await recordSingly(finished)
      }
      for (const { done } of batch) done()
    }
    // Also when the last outcomes were given up: the worker finds out for itself whether the database works.
    failing = false
    flushing = false
  }

  return {
    record: (finished) =>
      new Promise((done) => {
        queued.push({ finished, done })
        if (!flushing) void flush()
      }),
    giveUp: () => abandoned.abort(),
    isFailing: () => failing,
  }
}
