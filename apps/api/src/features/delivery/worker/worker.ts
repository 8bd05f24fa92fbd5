import { isDatabaseUnavailable } from '../../../database/failures.ts'
import { toId, type Uuid } from '../../../shared/ids.ts'
import { oncePerBatch } from '../../integrations/credentials.ts'
import { createOutcomeWriter, type OutcomeWriterDeps } from '../attempts/outcome-writer.ts'
import { type SendDeps, send } from '../attempts/send.ts'
import { type StartedAttempt, startAttempts } from '../attempts/start-attempts.ts'
import { type Job, leaseMs, type Queue } from '../queue/queue.ts'
import { waitForSlot } from '../throttle/destination-rate-limit.ts'
import { createProbeResults, type ProbeResultsDeps } from '../throttle/probe-results.ts'
import { type ThrottleDeps, type Throttled, throttle } from '../throttle/throttle.ts'
import { createClaimBackoff } from './claim-backoff.ts'
import { createInFlight, type InFlightLimits } from './in-flight.ts'
import { createWorkerSignal } from './worker-signal.ts'

/** The dependencies of a worker. */
export interface DeliveryWorkerDeps extends SendDeps, OutcomeWriterDeps, ThrottleDeps, ProbeResultsDeps, InFlightLimits {
  readonly queue: Queue
  /** The maximum time between claims when there is no signal, in milliseconds. */
  readonly pollMs: number
  /** The maximum time for recording the outcomes of aborted messages when the worker stops, in milliseconds. @default 2,000 */
  readonly recordWithinMs?: number
}

/** Delivers the messages of the queue. */
export interface DeliveryWorker {
  start(): void
  /**
   * Stops claiming, waits at most `graceMs` for messages in flight, then aborts the others, which are retried or held later.
   * Resolves at most `recordWithinMs` after that, even if their outcomes cannot be recorded.
   */
  stop(graceMs: number): Promise<void>
}

/**
 * The next step of the loop:
 * - `polling`: the queue has more jobs; claim again at once;
 * - `waiting for a signal`: the queue is empty; wait for new jobs or the end of the poll interval;
 * - `waiting for capacity`: the worker is at its limit, or only jobs of users and projects at their limits may be left;
 * - `backing off`: claiming or recording fails; wait before the next claim.
 */
type State = 'polling' | 'waiting for a signal' | 'waiting for capacity' | 'backing off'

const maxClaim = 50
const errorPauseMs = 1_000
// Transactions that lock a delivery, such as the deletion of its project, are short.
const busyDelayMs = 100
const renewEveryMs = leaseMs / 4

/** Returns whether a promise settles before `ms` have passed. */
const settlesWithin = async (promise: Promise<unknown>, ms: number): Promise<boolean> => {
  const passed = Promise.withResolvers<false>()
  const timer = setTimeout(passed.resolve, ms, false)
  return Promise.race([promise.then(() => true), passed.promise]).finally(() => clearTimeout(timer))
}

/** Creates a worker. It claims only as many jobs as it can start at once, so no job waits while its lease runs. */
export const createDeliveryWorker = (deps: DeliveryWorkerDeps): DeliveryWorker => {
  const { queue, database, log, recordWithinMs = 2_000 } = deps
  const nowMs = () => performance.now()
  // Under `hold`, an interrupted message is never sent again. Under `retry`, it is sent again once without a delay.
  const maxInterruptions = deps.ambiguous === 'hold' ? 0 : 1
  const outcomes = createOutcomeWriter(deps)
  const inFlight = createInFlight(deps, nowMs)
  const signal = createWorkerSignal(nowMs)
  const probeResults = createProbeResults(deps, signal.wakeAfter)
  const backoff = createClaimBackoff(nowMs)
  const tasks = new Set<Promise<void>>()
  const abort = new AbortController()
  let state: State = 'polling'
  let hasNewJobs = true
  let stopping = false
  let looping: Promise<void> = Promise.resolve()
  let renewing: NodeJS.Timeout | undefined

  /** Claims jobs and starts them. */
  const runOnce = async (): Promise<State> => {
    if (outcomes.isFailing()) return 'backing off'
    const free = inFlight.freeSlots()
    if (free <= 0) return 'waiting for capacity'
    // Half of the free slots, since all claimed jobs may belong to one user.
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
    if (fresh.length > 0) await dispatch(fresh)
    if (jobs.length === limit) return 'polling'
    return exclude.projectIds.length + exclude.userIds.length > 0 ? 'waiting for capacity' : 'waiting for a signal'
  }

  /** Starts an attempt at each claimed job that may start now, and reschedules the others. */
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

  const deliver = async (batch: SendDeps, job: Job, attempt: StartedAttempt, { slots, probes }: Throttled): Promise<void> => {
    inFlight.add(job)
    const slot = slots.get(job.deliveryId)
    // The attempt has started, so the message is sent even if the database cannot correct its slot.
    if (slot) await waitForSlot(database, slot).catch(() => {})
    const { outcome, durationMs, credentialId } = await send(batch, attempt, abort.signal)
    inFlight.sent(job)
    if (state !== 'waiting for a signal') signal.notifyCapacity()
    await probeResults.report(outcome, credentialId, probes.get(job.deliveryId))
    const recorded = await outcomes.record({ attempt, durationMs, outcome })
    const held = inFlight.remove(job)
    if (!recorded) await release([held])
    if (state !== 'waiting for a signal') signal.notifyCapacity()
    if (outcome.status === 'retrying') signal.wakeAfter(outcome.delayMs)
  }

  const track = (task: Promise<void>): void => {
    const tracked = task.finally(() => tasks.delete(tracked))
    tasks.add(tracked)
  }

  const release = (jobs: readonly Job[]): Promise<void> =>
    queue.release(jobs).catch((error: unknown) => log.debug({ err: error }, 'Releasing jobs failed; their leases will expire.'))

  const loop = async (): Promise<void> => {
    while (!stopping) {
      let waitMs = deps.pollMs
      // From here on, `deliver` must signal capacity that becomes free.
      state = 'polling'
      try {
        state = await runOnce()
      } catch (error) {
        state = 'backing off'
        waitMs = errorPauseMs
        log.warn({ err: error, unavailable: isDatabaseUnavailable(error) }, 'Claiming or starting jobs failed; retrying.')
      }
      if (state !== 'polling' && !stopping && (await signal.wait(waitMs))) hasNewJobs = true
    }
  }

  // On a slow machine, an attempt may take longer than the lease.
  const renewLeases = (): void => {
    const held = inFlight.heldSince(nowMs() - renewEveryMs)
    queue.renew(held).catch((error: unknown) => log.debug({ err: error }, 'Renewing leases failed.'))
  }

  const abandonOutcomes = (): void => {
    outcomes.giveUp()
    const deliveries = inFlight.heldSince(nowMs()).map(({ deliveryId }) => toId('delivery', deliveryId))
    log.warn(
      { deliveries },
      'The worker stopped before the outcomes of these deliveries were recorded. When their leases expire, they are attempted again or held: see FLOWPOST_AMBIGUOUS.',
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
      const finished = looping.then(() => Promise.allSettled([...tasks]))
      if (!(await settlesWithin(finished, graceMs))) {
        abort.abort()
        if (!(await settlesWithin(finished, recordWithinMs))) abandonOutcomes()
      }
      clearInterval(renewing)
      signal.stop()
    },
  }
}
