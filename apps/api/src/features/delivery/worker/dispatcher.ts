import { instant } from '../../../database/database.ts'
import type { DeliveryMetrics } from '../../../http/metrics/delivery-metrics.ts'
import type { RecordEvents } from '../../../shared/event-facts.ts'
import type { Uuid } from '../../../shared/ids.ts'
import type { AttemptSpan, Tracing } from '../../../shared/tracing.ts'
import type { WorkerSignal } from '../../../shared/worker-signal.ts'
import { oncePerBatch } from '../../integrations/credentials.ts'
import { logDropped } from '../attempts/log-outcomes.ts'
import type { OutcomeWriter } from '../attempts/outcome-writer.ts'
import type { LogFields } from '../attempts/record-outcomes.ts'
import { outcomeName, type SendDeps, send } from '../attempts/send.ts'
import { remainingMsOf } from '../attempts/simulate-attempt.ts'
import { type StartedAttempt, startAttempts } from '../attempts/start-attempts.ts'
import { cancelExpired } from '../cancel-deliveries.ts'
import type { DelayedJob, Job } from '../queue/job.ts'
import type { Queue } from '../queue/queue.ts'
import type { Recipients } from '../recipients/recipients.ts'
import { waitForSlot } from '../throttle/destination-rate-limit.ts'
import { createOutcomeReporter, type OutcomeReporterDeps } from '../throttle/report-outcomes.ts'
import { type ThrottleDeps, type Throttled, throttle } from '../throttle/throttle.ts'
import { busyDelayMs, dropSuppressedJobs } from './drop-suppressed-jobs.ts'
import type { InFlight } from './in-flight-jobs.ts'

/** The dependencies of a dispatcher. */
export interface DispatcherDeps extends SendDeps, ThrottleDeps, OutcomeReporterDeps {
  readonly queue: Queue
  readonly recipients: Recipients
  readonly recordEvents: RecordEvents
  readonly deliveryMetrics: DeliveryMetrics
  /** Records attempts as spans; `undefined` if tracing is off. */
  readonly tracing?: Tracing | undefined
}

/** The parts of a worker that its dispatcher uses. */
export interface DispatcherContext {
  readonly inFlight: InFlight
  readonly outcomes: OutcomeWriter
  readonly signal: WorkerSignal
  /**
   * Called when a job stops counting against the concurrency limits of its user and project, and again when it stops
   * counting against the worker's own limit.
   */
  readonly onCapacity: () => void
}

/** Delivers the messages of claimed jobs: throttles the jobs, starts attempts, sends the messages and records the outcomes. */
export interface Dispatcher {
  /**
   * Cancels expired deliveries, and fails deliveries whose recipient is suppressed. Starts an attempt for each remaining
   * job that may start now, and reschedules the others. Resolves when the attempts have started. On failure, releases the
   * jobs whose attempts have not started.
   */
  dispatch(jobs: readonly Job[]): Promise<void>
  /** Resolves when all attempts in progress have ended, including the recording of their outcomes. */
  settled(): Promise<unknown>
  /** Aborts all current and later attempts. */
  abort(): void
}

/** Jobs that were claimed together. */
interface Batch {
  readonly deps: SendDeps
  /** The value of `performance.now()` when the jobs were claimed. */
  readonly claimedMs: number
  readonly throttled: Throttled
}

const expiresInMs = (job: Job): number => job.expiresInMs ?? Number.POSITIVE_INFINITY

const logFieldsOf = ({ requestId }: Job, span: AttemptSpan | undefined): LogFields => ({
  ...(requestId ? { request_id: requestId } : {}),
  ...span?.ids,
})

/** Creates the dispatcher for one worker. */
export const createDispatcher = (deps: DispatcherDeps, { inFlight, outcomes, signal, onCapacity }: DispatcherContext): Dispatcher => {
  const { queue, database, log, tracing, deliveryMetrics } = deps
  // With `FLOWPOST_AMBIGUOUS=hold`, a message whose attempt was interrupted is sent again only on request. With `retry`, a new
  // attempt starts at once after the first interruption. Later interruptions count as failures, which are retried after a
  // delay.
  const maxInterruptions = deps.ambiguous === 'hold' ? 0 : 1
  const outcomeReporter = createOutcomeReporter(deps, signal.wakeAfter)
  const tasks = new Set<Promise<void>>()
  const abort = new AbortController()

  const track = (task: Promise<void>): void => {
    const tracked = task.finally(() => tasks.delete(tracked))
    tasks.add(tracked)
  }

  const release = (jobs: readonly Job[]): Promise<void> =>
    queue
      .release(jobs)
      .catch((error: unknown) => log.debug({ err: error }, 'Could not release jobs; they will be claimed again when their leases expire.'))

  const startSpan = (job: Job, attempt: StartedAttempt): AttemptSpan | undefined =>
    tracing?.startAttempt({
      parent: job.traceContext ?? null,
      notificationId: attempt.notification_id,
      deliveryId: attempt.id,
      sourceType: attempt.source_type,
      number: attempt.attempt_count,
      waitingSince: instant(attempt.waiting_since),
      startedAt: deps.clock.now(),
    })

  const deliver = async (
    { deps: batch, claimedMs, throttled: { slots, probes } }: Batch,
    job: Job,
    attempt: StartedAttempt,
  ): Promise<void> => {
    inFlight.add(job)
    const slot = slots.get(job.deliveryId)
    // The attempt has already started, so the message is sent even if no new slot can be reserved.
    if (slot) await waitForSlot(database, slot).catch(() => {})
    const span = startSpan(job, attempt)
    const result = await send(batch, attempt, abort.signal)
    const { outcome, durationMs } = result
    span?.end({ outcome: outcomeName(outcome), error: outcome.status === 'sent' ? undefined : outcome.failure.code })
    inFlight.sent(job)
    onCapacity()
    await outcomeReporter.report(result, probes.get(job.deliveryId))
    const expires = outcome.status === 'retrying' && claimedMs + expiresInMs(job) <= performance.now() + outcome.delayMs
    const recorded = await outcomes.record({ attempt, durationMs, outcome, expires, logFields: logFieldsOf(job, span) })
    const held = inFlight.remove(job)
    // If `held` is not `job`, this worker has claimed the delivery again. After a recorded outcome, `held` may be the job of the
    // retry, claimed before this worker received the response to the commit. `held` is released, because it has no new attempt.
    if (!recorded || held !== job) await release([held])
    onCapacity()
    if (outcome.status === 'retrying' && !expires) signal.wakeAfter(outcome.delayMs)
  }

  /**
   * Cancels the deliveries of expired jobs, with two exceptions. A delivery with an interrupted attempt is not canceled,
   * because the caller must first decide the attempt's outcome, without sending the message. A delivery whose notification
   * is locked by another transaction is not canceled yet. Its job is released, so that the job is claimed again later.
   * @returns `valid`, the jobs that have not expired, and `interrupted`, the expired jobs with an interrupted attempt.
   */
  const removeExpired = async (jobs: readonly Job[]): Promise<{ readonly valid: readonly Job[]; readonly interrupted: readonly Job[] }> => {
    const { expired = [], valid = [] } = Object.groupBy(jobs, (job) => (expiresInMs(job) <= 0 ? 'expired' : 'valid'))
    if (expired.length === 0) return { valid, interrupted: [] }
    const { canceled, interrupted } = await cancelExpired(
      database,
      deps,
      expired.map(({ deliveryId }) => deliveryId),
    )
    logDropped(log, 'expired', expired, canceled)
    const isInterrupted = ({ deliveryId }: Job) => interrupted.has(deliveryId)
    await queue.release(
      expired.filter((job) => !canceled.has(job.deliveryId) && !isInterrupted(job)),
      busyDelayMs,
    )
    return { valid, interrupted: expired.filter(isInterrupted) }
  }

  const dispatch = async (claimed: readonly Job[]): Promise<void> => {
    const claimedMs = performance.now()
    const batchDeps = { ...deps, credentials: oncePerBatch(deps.credentials) }
    let unstarted = claimed
    let unsentProbes = new Map<Uuid, string>()
    try {
      const { valid, interrupted } = await removeExpired(claimed)
      const throttled = await throttle(batchDeps, await dropSuppressedJobs(deps, valid))
      unsentProbes = new Map(throttled.probes)
      await queue.reschedule(throttled.delayed)
      for (const { delayMs } of throttled.delayed) signal.wakeAfter(delayMs)
      await outcomeReporter.await(throttled)
      unstarted = [...throttled.ready, ...interrupted]

      const { started, busy, obsolete } = await startAttempts(database, deps.clock, unstarted, maxInterruptions, deps.capturesAll)
      unstarted = busy
      const jobOf = new Map(claimed.map((job) => [job.deliveryId, job]))
      const slow: DelayedJob[] = []
      for (const attempt of started) {
        unsentProbes.delete(attempt.id)
        const job = jobOf.get(attempt.id)
        if (!job) continue
        const delayMs = remainingMsOf(deps.registry.get(attempt.source_type), attempt)
        if (delayMs > 0) slow.push({ job, delayMs })
        else track(deliver({ deps: batchDeps, claimedMs, throttled }, job, attempt))
      }
      for (const { delayMs } of slow) signal.wakeAfter(delayMs)
      await queue.reschedule(slow)
      if (busy.length > 0) signal.wakeAfter(busyDelayMs)
      await queue.complete(obsolete)
      await queue.release(busy, busyDelayMs)
      // The outcome writer counts the jobs whose attempts have started.
      deliveryMetrics.processed(claimed.length - started.length - busy.length)
    } catch (error) {
      await release(unstarted)
      throw error
    } finally {
      for (const breakerKey of unsentProbes.values()) track(outcomeReporter.abandon(breakerKey))
    }
  }

  return { dispatch, settled: () => Promise.allSettled([...tasks]), abort: () => abort.abort() }
}
