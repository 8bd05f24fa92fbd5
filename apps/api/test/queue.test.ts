import { pino } from 'pino'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Database } from '../src/database/database.ts'
import { openEmbedded } from '../src/database/embedded.ts'
import { openPostgres } from '../src/database/postgres.ts'
import { entities } from '../src/entities.ts'
import {
  createQueue,
  type Exclusions,
  type Job,
  leaseMs,
  minPriority,
  type NewJob,
  type Queue,
} from '../src/features/delivery/queue/queue.ts'
import { newUuid } from '../src/shared/ids.ts'
import { createTestDatabase, type TestDatabase } from './support/test-database.ts'

const log = pino({ level: 'silent' })
let test: TestDatabase
let database: Database
let queue: Queue

const open = (): Promise<Database> =>
  test.url === undefined ? openEmbedded({ entities, dataDir: test.dataDir }) : openPostgres({ entities, url: test.url, poolSize: 10, log })

beforeAll(async () => {
  test = await createTestDatabase()
  database = await open()
  queue = createQueue({ database, log })
  await queue.start()
})
beforeEach(() => database.query('delete from delivery_jobs'))
afterAll(async () => {
  await queue.stop()
  await database.close()
  await test.remove()
})

const none: Exclusions = { projectIds: [], userIds: [] }
const newJob = (changes: Partial<NewJob> = {}): NewJob => ({
  deliveryId: newUuid(),
  userId: 'alice',
  projectId: newUuid(),
  sourceType: 'smtp',
  priority: 0,
  ...changes,
})
const enqueue = async (...jobs: NewJob[]) => queue.enqueue(database, jobs)
const claimIds = async (limit = 100, exclude = none) => (await queue.claim(limit, exclude)).map(({ deliveryId }) => deliveryId)
const claimOne = async (): Promise<Job> => {
  const [job] = await queue.claim(1, none)
  if (!job) throw new Error('There is no job.')
  return job
}
/** Lets time pass for every job: leases, retries and scheduled ones. */
const pass = (ms: number) => database.query(`update delivery_jobs set due_at = due_at - $1::int * interval '1 millisecond'`, [ms])
const dueInMs = async (): Promise<number> => {
  const [row] = await database.query<{ ms: number }>(
    'select (extract(epoch from due_at - now()) * 1000)::float8 as ms from delivery_jobs limit 1',
  )
  return row?.ms ?? Number.NaN
}

describe('a claim', () => {
  it('returns what was enqueued, once', async () => {
    const job = newJob()
    await enqueue(job)
    const { deliveryId, userId, projectId, sourceType } = job
    expect(await queue.claim(10, none)).toEqual([{ deliveryId, userId, projectId, sourceType, claim: 1, deferrals: 0 }])
    expect(await queue.claim(10, none)).toEqual([])
  })

  it('returns the highest priorities first, and equal ones in the order in which they are due', async () => {
    const jobs = [newJob({ priority: -1 }), newJob(), newJob({ priority: minPriority }), newJob({ priority: -1 }), newJob()]
    for (const job of jobs) {
      await enqueue(job)
      await pass(1)
    }
    const order: string[] = []
    for (const _ of jobs) order.push((await claimOne()).deliveryId)
    expect(order).toEqual([1, 4, 0, 3, 2].map((position) => jobs[position]?.deliveryId))
  })

  it('returns at most as many as asked for, over all priorities', async () => {
    await enqueue(...[0, -3, -7].flatMap((priority) => Array.from({ length: 4 }, () => newJob({ priority }))))
    expect(await claimIds(6)).toHaveLength(6)
    expect(await claimIds(10)).toHaveLength(6)
  })

  it('leaves out excluded users and projects', async () => {
    const [alice, bob, carol] = ['alice', 'bob', 'carol'].map((userId) => newJob({ userId })) as [NewJob, NewJob, NewJob]
    await enqueue(alice, bob, carol)
    expect(await claimIds(10, { userIds: ['alice'], projectIds: [bob.projectId] })).toEqual([carol.deliveryId])
    expect((await claimIds()).sort()).toEqual([alice.deliveryId, bob.deliveryId].sort())
  })

  it('leaves out what is not due yet', async () => {
    await enqueue(newJob())
    await database.query(`update delivery_jobs set due_at = now() + interval '1 hour'`)
    expect(await claimIds()).toEqual([])
    await pass(3_600_000)
    expect(await claimIds()).toHaveLength(1)
  })

  it('shares jobs with concurrent claims without giving one to two', async () => {
    const jobs = Array.from({ length: 200 }, () => newJob({ priority: -Math.floor(Math.random() * 5) }))
    await enqueue(...jobs)
    const claims = await Promise.all(Array.from({ length: 10 }, () => claimIds(30)))
    expect(claims.flat().sort()).toEqual(jobs.map(({ deliveryId }) => deliveryId).sort())
  })
})

describe('a lease', () => {
  it('that runs out makes the job due again, under a new claim', async () => {
    await enqueue(newJob())
    const first = await claimOne()
    await pass(leaseMs - 1_000)
    expect(await claimIds()).toEqual([])
    await pass(1_000)
    expect(await claimOne()).toEqual({ ...first, claim: 2 })
  })

  it('that was renewed lasts longer', async () => {
    await enqueue(newJob())
    const job = await claimOne()
    await pass(leaseMs - 1_000)
    await queue.renew([job])
    await pass(leaseMs - 1_000)
    expect(await claimIds()).toEqual([])
  })

  it('that was lost changes the job no more', async () => {
    await enqueue(newJob())
    const lost = await claimOne()
    await pass(leaseMs)
    const current = await claimOne()
    await queue.complete([lost])
    await queue.renew([lost])
    await queue.release([lost])
    await queue.reschedule([{ job: lost, delayMs: 3_600_000 }])
    expect(await queue.depth()).toBe(1)
    await pass(leaseMs)
    expect(await claimOne()).toEqual({ ...current, claim: 3 })
  })
})

describe('a claimed job', () => {
  it('is gone when it is completed', async () => {
    await enqueue(newJob())
    await queue.complete([await claimOne()])
    expect(await queue.depth()).toBe(0)
  })

  it('is due again at once when it is released, or after a delay', async () => {
    await enqueue(newJob())
    await queue.release([await claimOne()])
    const job = await claimOne()
    expect(job).toMatchObject({ claim: 2, deferrals: 0 })
    await queue.release([job], 60_000)
    expect(await claimIds()).toEqual([])
    await pass(60_000)
    expect(await claimIds()).toEqual([job.deliveryId])
  })

  it('is due after its delay when it is rescheduled, and counts that', async () => {
    await enqueue(newJob())
    await queue.reschedule([{ job: await claimOne(), delayMs: 3_600_000 }])
    const inMs = await dueInMs()
    expect(inMs).toBeGreaterThan(3_500_000)
    expect(inMs).toBeLessThanOrEqual(3_600_000)
    await pass(3_600_000)
    expect(await claimOne()).toMatchObject({ claim: 2, deferrals: 1 })
  })

  it('that another transaction has locked is left to it, without waiting', async () => {
    if (database.kind === 'embedded') return
    await enqueue(newJob())
    const job = await claimOne()
    await database.transaction(async (transaction) => {
      await transaction.query('delete from delivery_jobs')
      await queue.renew([job])
      await queue.reschedule([{ job, delayMs: 0 }])
      await queue.release([job])
    })
    expect(await queue.depth()).toBe(0)
  })
})

it('jobs exist if and only if the transaction that adds them commits', async () => {
  const adding = database.transaction(async (transaction) => {
    await queue.enqueue(transaction, [newJob()])
    throw new Error('rolled back')
  })
  await expect(adding).rejects.toThrow('rolled back')
  expect(await queue.depth()).toBe(0)
})

it('counts what is pending for each project, due and scheduled, without what is claimed', async () => {
  const [first, second] = [newJob(), newJob({ userId: 'bob' })]
  await enqueue(first, newJob({ projectId: first.projectId }), newJob({ projectId: first.projectId, priority: -1 }), second)
  await database.query(`update delivery_jobs set due_at = now() + interval '1 hour' where priority < 0`)
  await claimOne()
  const counts = await queue.countPending()
  expect(counts.reduce((sum, { due, scheduled }) => sum + due + scheduled, 0)).toBe(3)
  expect(counts).toContainEqual({ userId: 'alice', projectId: first.projectId, due: expect.any(Number), scheduled: 1 })
})

it('an embedded server takes up at its start what a killed one had claimed, but neither retries nor scheduled jobs', async () => {
  if (database.kind === 'postgres') return
  const claimed = newJob({ priority: 0 })
  const scheduled = newJob({ priority: -1 })
  await enqueue(claimed, scheduled)
  await claimOne()
  await database.query(`update delivery_jobs set due_at = now() + interval '1 hour' where priority < 0`)
  const next = createQueue({ database, log })
  await next.start()
  expect(await claimIds()).toEqual([claimed.deliveryId])
  await next.stop()
})

it('tells the workers of other processes about new jobs', async () => {
  if (database.kind === 'embedded') return
  const other = createQueue({ database: await open(), log })
  await other.start()
  const notified = new Promise<void>((resolve) => other.onNotify(resolve))
  queue.notify()
  await notified
  await other.stop()
})
