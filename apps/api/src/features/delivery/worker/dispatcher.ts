import type { Uuid } from '../../../shared/ids.ts'
import { oncePerBatch } from '../../integrations/credentials.ts'
import type { OutcomeWriter } from '../attempts/outcome-writer.ts'
import { type SendDeps, send } from '../attempts/send.ts'
import { type StartedAttempt, startAttempts } from '../attempts/start-attempts.ts'
import type { Job, Queue } from '../queue/queue.ts'
import { waitForSlot } from '../throttle/destination-rate-limit.ts'
import { createProbeResults, type ProbeResultsDeps } from '../throttle/probe-results.ts'
import { type ThrottleDeps, type Throttled, throttle } from '../throttle/throttle.ts'
import type { InFlight } from './in-flight.ts'
import type { WorkerSignal } from './worker-signal.ts'

/** The dependencies of a dispatcher. */
export interface DispatcherDeps extends SendDeps, ThrottleDeps, ProbeResultsDeps {
  readonly queue: Queue
}

/** The parts of a worker that its dispatcher uses. */
export interface DispatcherContext {
  readonly inFlight: InFlight
  readonly outcomes: OutcomeWriter
  readonly signal: WorkerSignal
  /** Called when a job no longer counts against a concurrency limit, either that of its user and project or that of the worker. */
  readonly onCapacity: () => void
}

/** Delivers the messages of claimed jobs: throttles the jobs, starts attempts, sends the messages and records the outcomes. */
export interface Dispatcher {
  /**
   * Starts an attempt for each job that may start now, and reschedules the others. Resolves when the attempts have started. If
   * it fails, it releases the jobs whose attempts have not started.
   */
  dispatch(jobs: readonly Job[]): Promise<void>
  /** Resolves when all attempts in progress have ended, including the recording of their outcomes. */
  settled(): Promise<unknown>
  /** Aborts all current and later attempts. */
  abort(): void
}

// How long to wait before retrying a job whose delivery is locked. Transactions that lock a delivery, such as the deletion of
// its project, are short.
const busyDelayMs = 100

/** Creates the dispatcher of one worker. */
export const createDispatcher = (deps: DispatcherDeps, { inFlight, outcomes, signal, onCapacity }: DispatcherContext): Dispatcher => {
  const { queue, database, log } = deps
  // Under `hold`, an interrupted message is never sent again. Under `retry`, it is sent again once without a delay.
  const maxInterruptions = deps.ambiguous === 'hold' ? 0 : 1
  const probeResults = createProbeResults(deps, signal.wakeAfter)
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

  const deliver = async (batch: SendDeps, job: Job, attempt: StartedAttempt, { slots, probes }: Throttled): Promise<void> => {
    inFlight.add(job)
    const slot = slots.get(job.deliveryId)
    // The attempt has started, so the message is sent even if the database cannot correct its slot.
    if (slot) await waitForSlot(database, slot).catch(() => {})
    const { outcome, durationMs, credentialId } = await send(batch, attempt, abort.signal)
    inFlight.sent(job)
    onCapacity()
    await probeResults.report(outcome, credentialId, probes.get(job.deliveryId))
    const recorded = await outcomes.record({ attempt, durationMs, outcome })
    const held = inFlight.remove(job)
    if (!recorded) await release([held])
    onCapacity()
    if (outcome.status === 'retrying') signal.wakeAfter(outcome.delayMs)
  }

  const dispatch = async (jobs: readonly Job[]): Promise<void> => {
    const batch = { ...deps, credentials: oncePerBatch(deps.credentials) }
    let unstarted = jobs
    let unsentProbes = new Map<Uuid, string>()
    try {
      const throttled = await throttle(batch, jobs)
      unsentProbes = new Map(throttled.probes)
      await queue.reschedule(throttled.delayed)
      for (const { delayMs } of throttled.delayed) signal.wakeAfter(delayMs)
      await probeResults.await(throttled)
      unstarted = throttled.ready

      const { started, busy, obsolete } = await startAttempts(database, deps.clock, throttled.ready, maxInterruptions)
      unstarted = busy
      const jobOf = new Map(jobs.map((job) => [job.deliveryId, job]))
      for (const attempt of started) {
        unsentProbes.delete(attempt.id)
        const job = jobOf.get(attempt.id)
        if (job) track(deliver(batch, job, attempt, throttled))
      }
      if (busy.length > 0) signal.wakeAfter(busyDelayMs)
      await queue.complete(obsolete)
      await queue.release(busy, busyDelayMs)
    } catch (error) {
      await release(unstarted)
      throw error
    } finally {
      for (const credentialId of unsentProbes.values()) track(probeResults.abandon(credentialId))
    }
  }

  return { dispatch, settled: () => Promise.allSettled([...tasks]), abort: () => abort.abort() }
}
