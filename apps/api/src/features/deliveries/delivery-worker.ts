import { isDatabaseUnavailable } from '../../database/failures.ts'
import type { Job } from '../../queue/queue.ts'
import { oncePerBatch } from '../integrations/credentials-per-batch.ts'
import { type AttemptDeps, attemptDelivery } from './attempt-delivery.ts'
import { type BegunAttempt, beginAttempts } from './begin-attempts.ts'
import { deferJobs } from './defer-jobs.ts'
import { keepPace, type Reservation } from './destination-pace.ts'
import { admitJobs, type DispatchGateDeps } from './dispatch-gate.ts'
import { createFruitlessClaims } from './fruitless-claims.ts'
import type { EndedAttempt } from './outcome.ts'
import { createRecorder, type RecorderDeps } from './recorder.ts'
import { createWakeUp } from './wake-up.ts'

/** What a worker needs. */
export interface DeliveryWorkerDeps extends AttemptDeps, RecorderDeps, DispatchGateDeps {
  /** How many messages are on their way at a time. */
  readonly concurrency: number
  /** How many of them may be of one project, so that a provider that hangs does not take all. */
  readonly projectConcurrency: number
  /** How often the queue is looked at when nobody calls, in milliseconds. */
  readonly pollMs: number
}

/** Takes deliveries from the queue and sends them. */
export interface DeliveryWorker {
  start(): void
  /** Takes no more, waits at most `graceMs` for what is on its way, then gives it up to be tried again. */
  stop(graceMs: number): Promise<void>
}

const largestClaim = 50
const pauseAfterErrorMs = 1_000

/** Those that have as many or more. */
const keysFrom = (sendingOf: ReadonlyMap<string, number>, least: number): string[] =>
  [...sendingOf].filter(([, sending]) => sending >= least).map(([key]) => key)

/**
 * A worker. It claims only as many jobs as it can begin at once, so that no job waits while its
 * lease runs, sends outside of any transaction, and records outcomes in batches.
 */
export const createDeliveryWorker = (deps: DeliveryWorkerDeps): DeliveryWorker => {
  const { queue, database, clock, log, breakers } = deps
  const recorder = createRecorder(deps)
  const givingUp = new AbortController()
  const wakeUp = createWakeUp(clock)
  const fruitless = createFruitlessClaims(() => performance.now())
  const running = new Set<Promise<void>>()
  // Those of each that are being sent; what is only to be recorded holds nothing of a provider's any more.
  const sendingOfGroup = new Map<string, number>()
  const sendingOfOwner = new Map<string, number>()
  let stopping = false
  // Whether there may be jobs that the last claim could not find.
  let news = true
  // Whether the last claim stopped for want of room, so that room that becomes free is worth another claim.
  let full = false
  let looping: Promise<void> = Promise.resolve()

  const count = (sendingOf: Map<string, number>, key: string, by: 1 | -1) => {
    const now = (sendingOf.get(key) ?? 0) + by
    if (now === 0) sendingOf.delete(key)
    else sendingOf.set(key, now)
  }

  const send = async (batch: AttemptDeps, job: Job, attempt: BegunAttempt, reservation: Reservation | undefined): Promise<EndedAttempt> => {
    // The attempt has begun, so it is made: a database that is away for a moment costs the pace, not the message.
    if (reservation) await keepPace(database, reservation).catch(() => {})
    const startedMs = performance.now()
    const { outcome, credentialId } = await attemptDelivery(batch, attempt, givingUp.signal)
    const durationMs = Math.round(performance.now() - startedMs)
    if (credentialId !== undefined) {
      if (outcome.status === 'sent') breakers.succeeded(credentialId)
      else if (outcome.failure.kind === 'provider' || outcome.failure.kind === 'ambiguous') breakers.failed(credentialId)
    }
    return { job, attempt, durationMs, outcome }
  }

  const work = async ({ group, owner }: Job, sending: Promise<EndedAttempt>): Promise<void> => {
    count(sendingOfGroup, group, 1)
    count(sendingOfOwner, owner, 1)
    const ended = await sending.finally(() => {
      count(sendingOfGroup, group, -1)
      count(sendingOfOwner, owner, -1)
      if (full) wakeUp.room()
    })
    await recorder.record(ended)
    if (ended.outcome.status === 'retrying') wakeUp.at(ended.outcome.at)
  }

  const track = (task: Promise<void>): void => {
    const tracked = task.finally(() => {
      running.delete(tracked)
      if (full) wakeUp.room()
    })
    running.add(tracked)
  }

  /** Claims and begins what there is room for; says whether there may be more. */
  const takeSome = async (): Promise<boolean> => {
    const free = deps.concurrency - running.size
    if (free <= 0) {
      full = true
      return false
    }
    // Half of what is free at most, since all that is claimed may be of one user.
    const room = Math.min(Math.ceil(free / 2), largestClaim)
    const busy = {
      groups: keysFrom(sendingOfGroup, deps.projectConcurrency),
      // Nobody may hold more places than are free, so there are always some for who holds none, however many users hang.
      owners: keysFrom(sendingOfOwner, free),
    }
    const pauseMs = fruitless.pauseMs(busy, news)
    if (pauseMs > 0) {
      // Room for one of those that are left out ends the pause, hence `full`.
      full = true
      if (news) wakeUp.at(new Date(clock.now().getTime() + pauseMs))
      return false
    }
    news = false
    const startedMs = performance.now()
    const jobs = await queue.claim(room, busy)
    fruitless.claimed(busy, jobs.length < room, performance.now() - startedMs)
    full = jobs.length === room || busy.groups.length > 0 || busy.owners.length > 0
    if (jobs.length === 0) return false
    const batch = { ...deps, credentials: oncePerBatch(deps.credentials) }
    const { admitted, deferred, reservations } = await admitJobs(batch, jobs)
    await deferJobs(deps, deferred)
    for (const { runAt } of deferred) wakeUp.at(runAt)
    const begun = await beginAttempts(
      database,
      clock,
      admitted.map((job) => job.key),
    )
    const byDelivery = new Map(begun.map((attempt) => [attempt.id, attempt]))
    const idle: Job[] = []
    for (const job of admitted) {
      const attempt = byDelivery.get(job.key)
      if (attempt) track(work(job, send(batch, job, attempt, reservations.get(job.key))))
      else idle.push(job)
    }
    await queue.complete(database, idle)
    return jobs.length === room
  }

  const loop = async (): Promise<void> => {
    queue.onWake(wakeUp.now)
    while (!stopping) {
      let pauseMs = deps.pollMs
      try {
        while (!stopping && (await takeSome())) {}
      } catch (error) {
        pauseMs = pauseAfterErrorMs
        log.warn({ err: error, unavailable: isDatabaseUnavailable(error) }, 'The queue could not be read; it is tried again.')
      }
      if (!stopping && (await wakeUp.next(pauseMs))) news = true
    }
  }

  return {
    start: () => {
      looping = loop()
    },
    stop: async (graceMs) => {
      stopping = true
      wakeUp.now()
      await looping
      const timer = setTimeout(() => givingUp.abort(), graceMs)
      await Promise.allSettled([...running])
      clearTimeout(timer)
      wakeUp.stop()
    },
  }
}
