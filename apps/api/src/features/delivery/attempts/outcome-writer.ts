import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { isDatabaseUnavailable } from '../../../database/failures.ts'
import type { DeliveryMetrics } from '../../../http/metrics/delivery-metrics.ts'
import { toId } from '../../../shared/ids.ts'
import { withoutRedaction } from '../../../shared/without-redaction.ts'
import { logOutcomes } from './log-outcomes.ts'
import { measureOutcomes } from './measure-outcomes.ts'
import {
  type FinishedAttempt,
  maxOutcomes,
  type RecordDeps,
  type RecordResult,
  recordOutcomes,
  recordOutcomesAgain,
} from './record-outcomes.ts'

/** The dependencies of {@link createOutcomeWriter}. */
export interface OutcomeWriterDeps extends RecordDeps {
  readonly log: Logger
  readonly deliveryMetrics: DeliveryMetrics
}

/** Records the outcomes of attempts in batches. */
export interface OutcomeWriter {
  /**
   * Resolves with `true` when the outcome is recorded. Resolves with `false` if the database stays unavailable or rejects the
   * outcome, if the attempt is no longer its delivery's current attempt, or after {@link OutcomeWriter.giveUp}.
   */
  record(finished: FinishedAttempt): Promise<boolean>
  /** Stops recording. Discards all outcomes that are not recorded yet, and all later ones. */
  giveUp(): void
  /**
   * Returns whether recording is currently failing. While it is failing, the worker must not send messages, because a
   * message whose outcome is not recorded may be sent twice.
   */
  isFailing(): boolean
}

// How long a batch waits for more attempts to finish, so that they share a commit. On PostgreSQL, a batch waits only
// directly after a batch of several attempts. On the embedded database, which runs one transaction at a time, every batch
// waits.
const lingerMs = 5
const embeddedLingerMs = 10
const pauseMs = 500
// How long to wait before trying again to record an outcome whose notification is locked. Transactions that lock a
// notification, such as the deletion of its project, are short.
const busyPauseMs = 20
// The tries must last longer than a database failover, which takes a minute or two on managed services. Otherwise, outcomes
// would be lost during a failover, and a message without a recorded outcome might be sent again.
const maxTries = 600

const notStored = "The provider's response could not be stored."

/** Replaces the provider's text in an outcome. Only this text can make the database reject an outcome. */
const withoutProviderText = ({ outcome, ...finished }: FinishedAttempt): FinishedAttempt => ({
  ...finished,
  outcome:
    outcome.status === 'sent'
      ? { ...outcome, response: notStored, providerMessageId: null }
      : { ...outcome, response: notStored, failure: { ...outcome.failure, detail: notStored } },
})

/**
 * Creates a writer that records outcomes in batches: attempts that finish while a batch commits go into the next batch. If
 * recording fails, only the recording is retried; the message is not sent again.
 */
export const createOutcomeWriter = (deps: OutcomeWriterDeps): OutcomeWriter => {
  const { database, log, deliveryMetrics } = deps
  const stepLog = withoutRedaction(log)
  let queued: { readonly finished: FinishedAttempt; readonly done: (recorded: boolean) => void }[] = []
  let flushing = false
  let failing = false
  const abandoned = new AbortController()

  const recordPatiently = async (batch: readonly FinishedAttempt[]): Promise<RecordResult> => {
    for (let tries = 1; !abandoned.signal.aborted; tries += 1) {
      try {
        const result = await (tries === 1 ? recordOutcomes(deps, batch) : recordOutcomesAgain(deps, batch))
        failing = false
        measureOutcomes(deliveryMetrics, deps.clock.now(), result.recorded)
        logOutcomes(stepLog, result.recorded)
        return result
      } catch (error) {
        if (!isDatabaseUnavailable(error) || tries >= maxTries) throw error
        failing = true
        deliveryMetrics.recordingFailed()
        await sleep(pauseMs, undefined, { signal: abandoned.signal }).catch(() => {})
      }
    }
    return { recorded: [], busy: [] }
  }

  const recordAlone = async (finished: FinishedAttempt): Promise<RecordResult> => {
    try {
      return await recordPatiently([finished])
    } catch (error) {
      const id = toId('delivery', finished.attempt.id)
      try {
        // The database may have rejected the provider's text, so the outcome is recorded without it. Without a recorded
        // outcome, a message that was sent would be sent again and again.
        if (!isDatabaseUnavailable(error)) return await recordPatiently([withoutProviderText(finished)])
      } catch {}
      log.error({ err: error, delivery_id: id }, 'Could not record an outcome; the delivery will be attempted again.')
      return { recorded: [], busy: [] }
    }
  }

  const recordBatch = async (batch: readonly FinishedAttempt[]): Promise<RecordResult> => {
    try {
      return await recordPatiently(batch)
    } catch {
      // One outcome that cannot be recorded must not prevent the others from being recorded.
      const results: RecordResult[] = []
      for (const finished of batch) results.push(await recordAlone(finished))
      return { recorded: results.flatMap(({ recorded }) => recorded), busy: results.flatMap(({ busy }) => busy) }
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
      const result = await recordBatch(batch.map(({ finished }) => finished))
      const [recorded, busy] = [idsOf(result.recorded), idsOf(result.busy)]
      for (const item of batch) {
        const id = item.finished.attempt.attempt_id
        if (busy.has(id)) queued.push(item)
        else item.done(recorded.has(id))
      }
      if (busy.size > 0 && queued.length === busy.size) await sleep(busyPauseMs)
    }
    // If the last outcomes could not be recorded, `failing` is still true. While `failing` is true, the worker claims no jobs, so
    // there might be no later outcome that resets it. After the reset here, the worker's next claim shows whether the database
    // works.
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

const idsOf = (finished: readonly FinishedAttempt[]): ReadonlySet<string> => new Set(finished.map(({ attempt }) => attempt.attempt_id))
