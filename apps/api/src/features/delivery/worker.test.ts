import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { expect, it } from 'vitest'
import { type NamedStatement, textOf } from '../../database/database.ts'
import { newUuid, toId } from '../../shared/ids.ts'
import type { Exclusions, Job } from './queue.ts'
import { createDeliveryWorker } from './worker.ts'

const pollMs = 60_000
const soon = { timeout: 5_000, interval: 2 }

const now = () => new Date().toISOString()

/** A worker of 8 places, 2 of which a project may have, with a queue of the test's. Nothing is sent until the test says so. */
const startWorker = (claim: (limit: number, exclude: Exclusions) => Promise<Job[]>) => {
  const claims: (readonly string[])[] = []
  const released: string[] = []
  const state = { failStarts: false, failRecords: false }
  const sending: (() => void)[] = []
  const logged: string[] = []
  let wake = () => {}
  const started = (id: string) => ({
    candidate: id,
    id,
    attempt_count: 1,
    elapsed_ms: 0,
    created_at: now(),
    content: { subject: '', text: '', html: null },
  })
  const query = async (statement: string | NamedStatement, [ids]: readonly unknown[] = []) => {
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
    providerClient: { deliver: () => new Promise((_, reject) => sending.push(() => reject(new Error('Refused.')))) },
    breakers: { anyOpen: () => false, failed: () => ({ waiting: [], delayMs: 0 }) },
    clock: { now: () => new Date() },
    log: pino({ level: 'warn' }, { write: (line) => void logged.push(line) }),
    retryPolicy: { initialWaitMs: 1, maxWaitMs: 1, budgetMs: 0 },
    random: () => 0.5,
    deliveryMetrics: { attempted: () => {} },
    concurrency: 8,
    projectConcurrency: 2,
    pollMs,
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

/** A queue with so many jobs of one project and nothing else. */
const bulkOf = (projectId: string, jobs: number) => {
  let left = jobs
  return async (limit: number, exclude: Exclusions) => {
    const taken = exclude.projectIds.includes(projectId) ? 0 : Math.min(limit, left)
    left -= taken
    return Array.from({ length: taken }, () => jobOf(projectId))
  }
}

it('a project that has all its places is claimed for again as soon as it has room, and not before', async () => {
  await using worker = startWorker(bulkOf('bulk', 20))
  // Four are begun, and of the others nothing can be had.
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

it('what comes while a claim is under way, or beside a project that has all its places, is claimed without the poll', async () => {
  const waiting: Job[] = []
  const bulk = bulkOf('bulk', 20)
  let underWay = Promise.withResolvers<void>()
  let holds = false
  await using worker = startWorker(async (limit, exclude) => {
    const found = [...waiting.splice(0), ...(await bulk(limit, exclude))].slice(0, limit)
    if (holds) await underWay.promise
    return found
  })
  await expect.poll(() => worker.sending.length, soon).toBe(4)
  await expect.poll(() => worker.claims.length, soon).toBe(2)
  waiting.push(jobOf('small'))
  worker.wake()
  await expect.poll(() => worker.sending.length, soon).toBe(5)

  holds = true
  const before = worker.claims.length
  worker.wake()
  await expect.poll(() => worker.claims.length, soon).toBe(before + 1)
  waiting.push(jobOf('other'))
  worker.wake()
  holds = false
  underWay.resolve()
  underWay = Promise.withResolvers()
  await expect.poll(() => worker.sending.length, soon).toBe(6)
})

it('jobs whose attempts cannot be started are released at once', async () => {
  const jobs = [jobOf('a'), jobOf('b')]
  const waiting = [...jobs]
  await using worker = startWorker(async () => waiting.splice(0))
  worker.state.failStarts = true
  await expect.poll(() => worker.released, soon).toEqual(jobs.map(({ deliveryId }) => deliveryId))
  expect(worker.sending).toEqual([])
})

it('a worker that cannot record outcomes sends nothing more until it can', async () => {
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

it('a worker that stops while outcomes cannot be recorded ends soon after its grace, and logs which deliveries are left', async () => {
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

it('a worker whose claim does not return ends soon after its grace', async () => {
  await using worker = startWorker(() => new Promise(() => {}))
  await expect.poll(() => worker.claims.length, soon).toBe(1)
  await worker.stop(100)
})
