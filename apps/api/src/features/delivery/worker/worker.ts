import { isDatabaseUnavailable } from '../../../database/failures.ts'
import { toId } from '../../../shared/ids.ts'
import { createWorkerSignal } from '../../../shared/worker-signal.ts'
import { createOutcomeWriter, type OutcomeWriterDeps } from '../attempts/outcome-writer.ts'
import { leaseMs } from '../queue/job.ts'
import { createClaimBackoff } from './claim-backoff.ts'
import { createDispatcher, type DispatcherDeps } from './dispatcher.ts'
import { createInFlight, type InFlightLimits } from './in-flight-jobs.ts'

/** The dependencies of a worker. */
export interface DeliveryWorkerDeps extends DispatcherDeps, OutcomeWriterDeps, InFlightLimits {
  /** The maximum time that the worker waits for a `WorkerSignal` before the next claim, in milliseconds. */
  readonly pollMs: number
  /** The maximum time, in milliseconds, for recording the outcomes of aborted attempts when the worker stops. @default 2,000 */
  readonly recordWithinMs?: number
}

/** Delivers the messages in the queue. */
export interface DeliveryWorker {
  start(): void
  /**
   * Stops claiming, and waits at most `graceMs` milliseconds for messages in flight. Then aborts the remaining messages,
   * which are later attempted again or end as `ambiguous`. Resolves at most `recordWithinMs` milliseconds after aborting
   * them, even if their outcomes cannot be recorded.
   */
  stop(graceMs: number): Promise<void>
}

/**
 * The next step of the loop:
 * - `polling`: more jobs may be due; claim again at once;
 * - `waiting for jobs`: no more jobs are due; wait for new jobs or the end of the poll interval;
 * - `waiting for capacity`: the worker is at its limit, or all remaining jobs may belong to users and projects at their
 *   limits; wait for free capacity;
 * - `backing off`: jobs could not be claimed or started, or outcomes could not be recorded; wait before the next claim.
 */
type State = 'polling' | 'waiting for jobs' | 'waiting for capacity' | 'backing off'

const maxClaim = 50
const errorPauseMs = 1_000
const renewEveryMs = leaseMs / 4

/** Returns whether a promise settles within `ms` milliseconds. */
const settlesWithin = async (promise: Promise<unknown>, ms: number): Promise<boolean> => {
  const passed = Promise.withResolvers<false>()
  const timer = setTimeout(passed.resolve, ms, false)
  return Promise.race([promise.then(() => true), passed.promise]).finally(() => clearTimeout(timer))
}

/**
 * Creates a worker. It claims no more jobs than it has capacity for, so no claimed job waits for capacity while its lease
 * runs.
 */
export const createDeliveryWorker = (deps: DeliveryWorkerDeps): DeliveryWorker => {
  const { queue, log, recordWithinMs = 2_000 } = deps
  const nowMs = () => performance.now()
  const outcomes = createOutcomeWriter(deps)
  const inFlight = createInFlight(deps, nowMs)
  const signal = createWorkerSignal(nowMs)
  const backoff = createClaimBackoff(nowMs)
  let state: State = 'polling'
  let hasNewJobs = true
  let stopping = false
  let looping: Promise<void> = Promise.resolve()
  let renewing: NodeJS.Timeout | undefined

  // In the state `waiting for jobs`, no job is due, so free capacity does not wake the worker.
  const onCapacity = (): void => {
    if (state !== 'waiting for jobs') signal.notifyCapacity()
  }
  const dispatcher = createDispatcher(deps, { inFlight, outcomes, signal, onCapacity })

  /** Claims jobs and starts them. */
  const runOnce = async (): Promise<State> => {
    if (outcomes.isFailing()) return 'backing off'
    const free = inFlight.freeSlots()
    if (free <= 0) return 'waiting for capacity'
    // Claims jobs for only half of the free slots, because all claimed jobs may belong to one user, and other users also
    // need slots.
    const limit = Math.min(Math.ceil(free / 2), maxClaim)
    const exclude = inFlight.saturated()
    const delayMs = backoff.delayMs(exclude, hasNewJobs)
    if (delayMs > 0) {
      if (hasNewJobs) signal.wakeAfter(delayMs)
      return 'waiting for capacity'
    }

    hasNewJobs = false
    const startedMs = nowMs()
    const jobs = await queue.claim(limit, exclude)
    backoff.claimed(exclude, jobs.length < limit, nowMs() - startedMs)
    const fresh = jobs.filter((job) => !inFlight.adopt(job))
    if (fresh.length > 0) await dispatcher.dispatch(fresh)
    if (jobs.length === limit) return 'polling'
    return exclude.projectIds.length + exclude.userIds.length > 0 ? 'waiting for capacity' : 'waiting for jobs'
  }

  const loop = async (): Promise<void> => {
    while (!stopping) {
      let waitMs = deps.pollMs
      // In this state, `onCapacity` signals capacity that becomes free during the claim.
      state = 'polling'
      try {
        state = await runOnce()
      } catch (error) {
        state = 'backing off'
        waitMs = errorPauseMs
        log.warn({ err: error, unavailable: isDatabaseUnavailable(error) }, 'Could not claim or start jobs; retrying.')
      }
      if (state !== 'polling' && !stopping && (await signal.wait(waitMs))) hasNewJobs = true
    }
  }

  // Renews the leases, because on a slow machine, an attempt may take longer than a lease.
  const renewLeases = (): void => {
    const held = inFlight.heldSince(nowMs() - renewEveryMs)
    queue.renew(held).catch((error: unknown) => log.debug({ err: error }, 'Could not renew leases; retrying.'))
  }

  const abandonOutcomes = (): void => {
    outcomes.giveUp()
    const deliveries = inFlight.heldSince(nowMs()).map(({ deliveryId }) => toId('delivery', deliveryId))
    log.warn(
      { deliveries },
      'The worker stopped before the outcomes of these deliveries were recorded. When their leases expire, FLOWPOST_AMBIGUOUS decides whether the deliveries are attempted again or end as `ambiguous`.',
    )
  }

  return {
    start: () => {
      queue.onNotify(signal.notify)
      renewing = setInterval(renewLeases, renewEveryMs)
      renewing.unref()
      looping = loop()
    },
    stop: async (graceMs) => {
      stopping = true
      signal.notify()
      const finished = looping.then(() => dispatcher.settled())
      if (!(await settlesWithin(finished, graceMs))) {
        dispatcher.abort()
        if (!(await settlesWithin(finished, recordWithinMs))) abandonOutcomes()
      }
      clearInterval(renewing)
      signal.stop()
    },
  }
}
