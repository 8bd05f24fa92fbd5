import type { Logger } from 'pino'
import { isDatabaseUnavailable } from '../../database/unavailable.ts'
import type { Job } from '../../queue/queue.ts'
import { type AttemptDeps, attemptDelivery } from './attempt-delivery.ts'
import { beginAttempts } from './begin-attempts.ts'
import type { EndedAttempt } from './outcome.ts'
import { createRecorder } from './recorder.ts'
import type { SettleDeps } from './settle-attempts.ts'

/** What a worker needs. */
export interface DeliveryWorkerDeps extends AttemptDeps, SettleDeps {
  readonly log: Logger
  /** How many messages are on their way at a time. */
  readonly concurrency: number
  /** How often the queue is looked at when nobody calls, in milliseconds. */
  readonly pollMs: number
}

/** Takes deliveries from the queue and sends them. */
export interface DeliveryWorker {
  start(): void
  /** Takes no more, waits at most `graceMs` for what is on its way, then gives it up to be tried again. */
  stop(graceMs: number): Promise<void>
}

const largestClaim = 100
const pauseAfterErrorMs = 1_000

/**
 * A worker. It claims only as many jobs as it can begin at once, so that no job waits while its
 * lease runs, sends outside of any transaction, and records outcomes in batches.
 */
export const createDeliveryWorker = (deps: DeliveryWorkerDeps): DeliveryWorker => {
  const { queue, database, clock, log, concurrency } = deps
  const recorder = createRecorder(deps)
  const givingUp = new AbortController()
  const running = new Set<Promise<void>>()
  let stopping = false
  // Whether the last claim stopped for want of room, so that room that becomes free is worth another claim.
  let full = false
  let wake = () => {}
  let looping: Promise<void> = Promise.resolve()

  const work = async (job: Job, begun: EndedAttempt['attempt']): Promise<void> => {
    const startedMs = performance.now()
    const outcome = await attemptDelivery(deps, begun, givingUp.signal)
    const durationMs = Math.round(performance.now() - startedMs)
    await recorder.record({ job, attempt: begun, durationMs, outcome })
  }

  const track = (task: Promise<void>): void => {
    const tracked = task.finally(() => {
      running.delete(tracked)
      if (full) wake()
    })
    running.add(tracked)
  }

  /** Claims and begins what there is room for; says whether there may be more. */
  const takeSome = async (): Promise<boolean> => {
    const room = Math.min(concurrency - running.size, largestClaim)
    full = room <= 0
    if (full) return false
    const jobs = await queue.claim(room)
    full = jobs.length === room
    if (jobs.length === 0) return false
    const begun = await beginAttempts(
      database,
      clock,
      jobs.map((job) => job.key),
    )
    const byDelivery = new Map(begun.map((attempt) => [attempt.id, attempt]))
    const idle = jobs.filter((job) => !byDelivery.has(job.key))
    for (const job of jobs) {
      const attempt = byDelivery.get(job.key)
      if (attempt) track(work(job, attempt))
    }
    await queue.complete(database, idle)
    return full
  }

  const loop = async (): Promise<void> => {
    let signaled = Promise.withResolvers<void>()
    wake = () => signaled.resolve()
    queue.onWake(() => wake())
    while (!stopping) {
      let pauseMs = deps.pollMs
      try {
        while (!stopping && (await takeSome())) {}
      } catch (error) {
        pauseMs = pauseAfterErrorMs
        log.warn({ err: error, unavailable: isDatabaseUnavailable(error) }, 'The queue could not be read; it is tried again.')
      }
      if (stopping) break
      const timer = setTimeout(() => signaled.resolve(), pauseMs)
      await signaled.promise
      clearTimeout(timer)
      signaled = Promise.withResolvers<void>()
    }
  }

  return {
    start: () => {
      looping = loop()
    },
    stop: async (graceMs) => {
      stopping = true
      wake()
      await looping
      const finished = Promise.allSettled([...running])
      const timer = setTimeout(() => givingUp.abort(), graceMs)
      await finished
      clearTimeout(timer)
    },
  }
}
