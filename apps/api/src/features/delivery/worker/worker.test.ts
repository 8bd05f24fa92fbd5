import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { expect, it } from 'vitest'
import { type NamedStatement, textOf } from '../../../database/database.ts'
import { newUuid, toId } from '../../../shared/ids.ts'
import type { Job } from '../queue/job.ts'
import type { Exclusions } from '../queue/queue.ts'
import { noneWaiting } from '../throttle/circuit-breaker.ts'
import { createDeliveryWorker } from './worker.ts'

const pollMs = 60_000
const soon = { timeout: 5_000, interval: 2 }

const now = () => new Date().toISOString()

/**
 * Starts a worker with 8 slots, at most 2 for each project. `sending` has a function for each attempt in progress, which
 * makes the attempt fail.
 */
const startWorker = (claim: (limit: number, exclude: Exclusions) => Promise<Job[]>) => {
  const claims: (readonly string[])[] = []
  const released: string[] = []
  const abandonedProbes: string[] = []
  const state = { failStarts: false, failRecords: false, probing: false }
  const sending: (() => void)[] = []
  const logged: string[] = []
  let wake = () => {}
  const started = (id: string) => ({
    candidate: id,
    id,
    attempt_count: 1,
    attempt_in_budget: 1,
    elapsed_ms: 0,
    created_at: now(),
    content: { subject: '', text: '', html: null },
  })
  const query = async (statement: string | NamedStatement, [ids]: readonly unknown[] = []) => {
    if (state.probing && typeof statement !== 'string' && statement.name === 'throttle-deliveries')
      return (ids as string[]).map((id) => ({ id, source_type: 'smtp', waiting_ms: 0 }))
    if (!textOf(statement).includes('started as')) return []
    if (state.failStarts) throw new Error('The statement failed.')
    return (ids as string[]).map(started)
  }
  const transaction = (work: (transaction: object) => unknown) => {
    if (state.failRecords) throw Object.assign(new Error('The database is away.'), { code: '57P01' })
    return work({ query })
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
      probeAbandoned: (credentialId: string) => {
        abandonedProbes.push(credentialId)
        return noneWaiting
      },
    },
    clock: { now: () => new Date() },
    log: pino({ level: 'warn' }, { write: (line) => void logged.push(line) }),
    retryPolicy: { initialWaitMs: 1, maxWaitMs: 1, budgetMs: 0 },
    random: () => 0.5,
    deliveryMetrics: { attempted: () => {}, settled: () => {}, delivered: () => {}, recordingFailed: () => {} },
    concurrency: 8,
    projectConcurrency: 2,
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

const jobOf = (projectId: string): Job => ({
  deliveryId: newUuid(),
  userId: newUuid(),
  projectId,
  sourceType: 'smtp',
  claim: 1,
  deferrals: 0,
})

/** Returns a claim function for a queue that has `jobs` jobs in one project. */
const bulkOf = (projectId: string, jobs: number) => {
  let left = jobs
  return async (limit: number, exclude: Exclusions) => {
    const taken = exclude.projectIds.includes(projectId) ? 0 : Math.min(limit, left)
    left -= taken
    return Array.from({ length: taken }, () => jobOf(projectId))
  }
}

it('claims jobs of a project at its limit again as soon as the project has capacity, and not before', async () => {
  await using worker = startWorker(bulkOf('bulk', 20))
  // Four jobs are started: half of the free slots. Then only jobs in the excluded project are left.
  await expect.poll(() => worker.claims, soon).toEqual([[], ['bulk']])
  await expect.poll(() => worker.sending.length, soon).toBe(4)
  for (const ended of [1, 2]) {
    worker.sending.shift()?.()
    await sleep(30)
    expect([ended, worker.claims.length]).toEqual([ended, 2])
  }
  worker.sending.shift()?.()
  await expect.poll(() => worker.claims[2], soon).toEqual([])
})

it('claims new jobs without waiting for the poll, during another claim and while a project is at its limit', async () => {
  const waiting: Job[] = []
  const bulk = bulkOf('bulk', 20)
  let claiming = Promise.withResolvers<void>()
  let isHeld = false
  await using worker = startWorker(async (limit, exclude) => {
    const found = [...waiting.splice(0), ...(await bulk(limit, exclude))].slice(0, limit)
    if (isHeld) await claiming.promise
    return found
  })
  await expect.poll(() => worker.sending.length, soon).toBe(4)
  await expect.poll(() => worker.claims.length, soon).toBe(2)
  waiting.push(jobOf('small'))
  worker.wake()
  await expect.poll(() => worker.sending.length, soon).toBe(5)

  isHeld = true
  const before = worker.claims.length
  worker.wake()
  await expect.poll(() => worker.claims.length, soon).toBe(before + 1)
  waiting.push(jobOf('other'))
  worker.wake()
  isHeld = false
  claiming.resolve()
  claiming = Promise.withResolvers()
  await expect.poll(() => worker.sending.length, soon).toBe(6)
})

it('releases jobs at once when starting their attempts fails', async () => {
  const jobs = [jobOf('a'), jobOf('b')]
  const waiting = [...jobs]
  await using worker = startWorker(async () => waiting.splice(0))
  worker.state.failStarts = true
  await expect.poll(() => worker.released, soon).toEqual(jobs.map(({ deliveryId }) => deliveryId))
  expect(worker.sending).toEqual([])
})

it('reports a probe as not sent when starting its attempt fails', async () => {
  const waiting = [jobOf('a')]
  await using worker = startWorker(async () => waiting.splice(0))
  Object.assign(worker.state, { failStarts: true, probing: true })
  await expect.poll(() => worker.abandonedProbes, soon).toEqual(['credential'])
})

it('stops sending while outcomes cannot be recorded', async () => {
  const waiting = [jobOf('a')]
  await using worker = startWorker(async (limit) => waiting.splice(0, limit))
  await expect.poll(() => worker.sending.length, soon).toBe(1)
  worker.state.failRecords = true
  worker.sending.shift()?.()
  await sleep(30)
  waiting.push(jobOf('b'))
  worker.wake()
  await sleep(30)
  expect(waiting).toHaveLength(1)
  worker.state.failRecords = false
  const wakeAndCount = () => {
    worker.wake()
    return worker.sending.length
  }
  await expect.poll(wakeAndCount, soon).toBe(1)
})

it('stops soon after its grace period while outcomes cannot be recorded, and logs the affected deliveries', async () => {
  const job = jobOf('a')
  const waiting = [job]
  await using worker = startWorker(async (limit) => waiting.splice(0, limit))
  await expect.poll(() => worker.sending.length, soon).toBe(1)
  worker.state.failRecords = true
  worker.sending.shift()?.()
  await worker.stop(100)
  expect(worker.logged.map((line) => JSON.parse(line))).toContainEqual(
    expect.objectContaining({
      deliveries: [toId('delivery', job.deliveryId)],
      msg: expect.stringContaining('attempted again'),
    }),
  )
})

it('stops soon after its grace period when a claim never returns', async () => {
  await using worker = startWorker(() => new Promise(() => {}))
  await expect.poll(() => worker.claims.length, soon).toBe(1)
  await worker.stop(100)
})
