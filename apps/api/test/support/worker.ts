import { pino } from 'pino'
import { type NamedStatement, textOf } from '../../src/database/database.ts'
import type { Job } from '../../src/features/delivery/queue/job.ts'
import type { Exclusions } from '../../src/features/delivery/queue/queue.ts'
import { noneWaiting } from '../../src/features/delivery/throttle/circuit-breaker.ts'
import { createDeliveryWorker } from '../../src/features/delivery/worker/worker.ts'
import { newUuid } from '../../src/shared/ids.ts'

const pollMs = 60_000

/** How often, and for how long, to poll a worker's state. */
export const soon = { timeout: 5_000, interval: 2 }

const now = () => new Date().toISOString()

const smallLimits = { concurrency: 8, projectConcurrency: 2 }

/**
 * Starts a worker. By default, it has 8 slots and claims no jobs of a project that has 2 messages in flight. `sending` contains
 * a function for each attempt in progress. Call the function to make the attempt fail.
 */
export const startWorker = (claim: (limit: number, exclude: Exclusions) => Promise<Job[]>, limits = smallLimits) => {
  const claims: (readonly string[])[] = []
  const released: string[] = []
  const abandonedProbes: string[] = []
  const state = {
    failStarts: false,
    failRecords: false,
    probing: false,
    /** Runs after each commit, before its response arrives. */
    onCommitted: async () => {},
  }
  const sending: (() => void)[] = []
  const logged: string[] = []
  let wake = () => {}
  const started = (id: string) => ({
    candidate: id,
    id,
    attempt_id: id,
    attempt_count: 1,
    attempt_in_budget: 1,
    elapsed_ms: 0,
    created_at: now(),
    content: { subject: '', text: '', html: null },
  })
  const query = async (statement: string | NamedStatement, [ids, rows]: readonly unknown[] = []) => {
    if (state.probing && typeof statement !== 'string' && statement.name === 'throttle-deliveries')
      return (ids as string[]).map((id) => ({ id, source_type: 'smtp', waiting_ms: 0 }))
    if (typeof statement !== 'string' && statement.name === 'record-outcomes')
      return JSON.parse(rows as string).map((row: object) => ({ ...row, has_events: false, is_completed: false }))
    if (!textOf(statement).includes('started as')) return []
    if (state.failStarts) throw new Error('The statement failed.')
    return (ids as string[]).map(started)
  }
  const transaction = async (work: (transaction: object) => unknown) => {
    if (state.failRecords) throw Object.assign(new Error('The database is away.'), { code: '57P01' })
    const result = await work({ query })
    await state.onCommitted()
    return result
  }
  const worker = createDeliveryWorker({
    queue: {
      onNotify: (listener: () => void) => {
        wake = listener
      },
      claim: (limit: number, exclude: Exclusions) => {
        claims.push(exclude.projectIds)
        return claim(limit, exclude)
      },
      complete: async () => {},
      reschedule: async () => {},
      release: async (jobs: readonly Job[]) => void released.push(...jobs.map(({ deliveryId }) => deliveryId)),
      renew: async () => {},
    },
    database: { query, transaction },
    registry: { get: () => ({ kind: 'email' }) },
    credentials: { find: async () => ({ id: 'credential', settings: {}, open: () => ({}) }) },
    providerClient: { deliver: () => new Promise((_, reject) => sending.push(() => reject(new Error('Rejected.')))) },
    breakers: {
      anyOpen: () => state.probing,
      openForMs: () => 0,
      admit: () => ({ admitted: true, isProbe: true }),
      failed: () => noneWaiting,
      probeAbandoned: (breakerKey: string) => {
        abandonedProbes.push(breakerKey)
        return noneWaiting
      },
    },
    clock: { now: () => new Date() },
    log: pino({ level: 'warn' }, { write: (line) => void logged.push(line) }),
    retryPolicy: { initialWaitMs: 1, maxWaitMs: 1, budgetMs: 0 },
    random: () => 0.5,
    recipients: { digestOf: () => null },
    deliveryMetrics: { processed: () => {}, attempted: () => {}, settled: () => {}, delivered: () => {}, recordingFailed: () => {} },
    ...limits,
    pollMs,
    recordWithinMs: 100,
  } as never)
  worker.start()
  const stop = async () => {
    const stopped = worker.stop(0)
    for (const end of sending.splice(0)) end()
    await stopped
  }
  return {
    claims,
    sending,
    released,
    abandonedProbes,
    logged,
    state,
    wake: () => wake(),
    stop: (graceMs: number) => worker.stop(graceMs),
    [Symbol.asyncDispose]: stop,
  }
}

/** Returns a job in a project. */
export const jobOf = (projectId: string, userId: string = newUuid()): Job => ({
  deliveryId: newUuid(),
  userId,
  projectId,
  sourceType: 'smtp',
  claim: 1,
  deferrals: 0,
})

/** Returns a claim function for a queue that has `jobs` jobs in one project. */
export const bulkOf = (projectId: string, jobs: number) => {
  let left = jobs
  return async (limit: number, exclude: Exclusions) => {
    const taken = exclude.projectIds.includes(projectId) ? 0 : Math.min(limit, left)
    left -= taken
    return Array.from({ length: taken }, () => jobOf(projectId))
  }
}
