import { isDatabaseUnavailable } from '../../database/failures.ts'
import { toId } from '../../shared/ids.ts'
import { oncePerBatch } from '../integrations/credentials.ts'
import { noneWaiting, type ProbeResult } from './circuit-breaker.ts'
import { createClaimBackoff } from './claim-backoff.ts'
import { waitForSlot } from './destination-rate-limit.ts'
import { createInFlight, type InFlightLimits } from './in-flight.ts'
import { createOutcomeWriter, type OutcomeWriterDeps } from './outcome-writer.ts'
import { type Job, leaseMs, type Queue } from './queue.ts'
import type { FinishedAttempt } from './record-outcomes.ts'
import { type SendDeps, send } from './send.ts'
import { type StartedAttempt, startAttempts } from './start-attempts.ts'
import { type ThrottleDeps, type Throttled, throttle } from './throttle.ts'
import { createWorkerSignal } from './worker-signal.ts'

/** What a worker uses. */
export interface DeliveryWorkerDeps extends SendDeps, OutcomeWriterDeps, ThrottleDeps, InFlightLimits {
  readonly queue: Queue
  /** How often to claim when nobody signals, in milliseconds. */
  readonly pollMs: number
}

/** Delivers the messages of the queue. */
export interface DeliveryWorker {
  start(): void
  /**
   * Claims no more, waits at most `graceMs` for messages in flight, then aborts them: they will be attempted again. Ends at most
   * two seconds later, also when their outcomes cannot be recorded.
   */
  stop(graceMs: number): Promise<void>
}

/**
 * What the loop does next:
 * - `polling`: the queue has more, claim again at once;
 * - `waiting for a signal`: the queue is empty, until new jobs are signaled or the poll interval ends;
 * - `waiting for capacity`: every slot, or every slot of some user or project, is taken, so a claim would find excluded jobs only;
 * - `backing off`: claiming or recording fails.
 */
type State = 'polling' | 'waiting for a signal' | 'waiting for capacity' | 'backing off'

const maxClaim = 50
const errorPauseMs = 1_000
// A transaction that locks a delivery, such as the cancellation of a project, ends soon.
const busyDelayMs = 100
const renewEveryMs = leaseMs / 4
// For recording the outcomes of messages that were aborted.
const recordWithinMs = 2_000

/** Returns whether a promise settles before `ms` have passed. */
const settlesWithin = async (promise: Promise<unknown>, ms: number): Promise<boolean> => {
  const passed = Promise.withResolvers<false>()
  const timer = setTimeout(passed.resolve, ms, false)
  return Promise.race([promise.then(() => true), passed.promise]).finally(() => clearTimeout(timer))
}

/** Creates a worker. It claims only as many jobs as it can start at once, so no job waits while its lease runs. */
export const createDeliveryWorker = (deps: DeliveryWorkerDeps): DeliveryWorker => {
  const { queue, database, log, breakers, random } = deps
  const nowMs = () => performance.now()
  // Where a duplicate must not be risked, an interrupted attempt is never repeated. Elsewhere it is, once at once.
  const maxInterruptions = deps.ambiguous === 'hold' ? 0 : 1
  const outcomes = createOutcomeWriter(deps)
  const inFlight = createInFlight(deps, nowMs)
  const signal = createWorkerSignal(nowMs)
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
    const unsentProbes = new Map<string, string>()
    try {
      const throttled = await throttle(batch, jobs)
      for (const [deliveryId, credentialId] of throttled.probes) unsentProbes.set(deliveryId, credentialId)
      await queue.reschedule(throttled.delayed)
      for (const { delayMs } of throttled.delayed) signal.wakeAfter(delayMs)
      await awaitProbes(throttled)
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
      for (const credentialId of unsentProbes.values()) track(resumeAfterProbe(breakers.probeAbandoned(credentialId)))
    }
  }

  const deliver = async (batch: SendDeps, job: Job, attempt: StartedAttempt, { slots, probes }: Throttled): Promise<void> => {
    inFlight.add(job)
    const slot = slots.get(job.deliveryId)
    // The attempt has started, so it is made: a database that is briefly unavailable costs the rate limit, not the message.
    if (slot) await waitForSlot(database, slot).catch(() => {})
    const { outcome, durationMs, credentialId } = await send(batch, attempt, abort.signal)
    inFlight.sent(job)
    if (state !== 'waiting for a signal') signal.notifyCapacity()
    const probed = probes.get(job.deliveryId)
    if (credentialId !== undefined) await resumeAfterProbe(reportTo(credentialId, outcome, probed === credentialId))
    if (probed !== undefined && probed !== credentialId) await resumeAfterProbe(breakers.probeAbandoned(probed))
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

  const reportTo = (credentialId: string, outcome: FinishedAttempt['outcome'], isProbe: boolean): ProbeResult => {
    if (outcome.status === 'sent') return breakers.succeeded(credentialId)
    const { kind } = outcome.failure
    if (kind === 'provider' || kind === 'ambiguous') return breakers.failed(credentialId, isProbe)
    return isProbe ? breakers.probeAbandoned(credentialId) : noneWaiting
  }

  const release = (jobs: readonly Job[]): Promise<void> =>
    queue.release(jobs).catch((error: unknown) => log.debug({ err: error }, 'Releasing jobs failed; their leases will expire.'))

  /** Moves jobs that waited for a probe to the time that follows from its outcome. */
  const resumeAfterProbe = async ({ waiting, delayMs }: ProbeResult): Promise<void> => {
    if (waiting.length === 0) return
    const delayed = waiting.map((job) => ({ job, delayMs: delayMs * (1 + random() / 2) }))
    await queue
      .reschedule(delayed)
      .catch((error: unknown) => log.debug({ err: error }, 'Resuming jobs after a probe failed; they are due later.'))
    signal.wakeAfter(delayMs)
  }

  /** Registers delayed jobs for the outcome of a probe, once they are rescheduled; the probe may have ended meanwhile. */
  const awaitProbes = ({ delayed, awaitingProbe }: Throttled): Promise<void> => {
    const isTooLate = ({ job }: (typeof delayed)[number]): boolean => {
      const credentialId = awaitingProbe.get(job.deliveryId)
      return credentialId !== undefined && !breakers.awaitProbe(credentialId, job)
    }
    return resumeAfterProbe({ waiting: delayed.filter(isTooLate).map(({ job }) => job), delayMs: 0 })
  }

  const loop = async (): Promise<void> => {
    while (!stopping) {
      let waitMs = deps.pollMs
      // Capacity that becomes free from here on must not be missed.
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

  // A lease is renewed as long as its process lives: on a slow machine, an attempt may take longer than the lease.
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
