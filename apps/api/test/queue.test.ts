import { pino } from 'pino'
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest'
import type { Database } from '../src/database/database.ts'
import { openEmbedded } from '../src/database/embedded.ts'
import { openPostgres } from '../src/database/postgres.ts'
import { entities } from '../src/entities.ts'
import { type Job, leaseMs, type NewJob } from '../src/features/delivery/queue/job.ts'
import { createQueue, type Exclusions, minPriority, type Queue } from '../src/features/delivery/queue/queue.ts'
import { newUuid } from '../src/shared/ids.ts'
import { countJobs } from './support/delivery-jobs.ts'
import { createTestDatabase, type TestDatabase } from './support/test-database.ts'

const log = pino({ level: 'silent' })
const onPostgres = it.runIf(inject('postgres'))
const onEmbedded = it.skipIf(inject('postgres'))

let testDatabase: TestDatabase
let database: Database
let queue: Queue

const open = (): Promise<Database> =>
  testDatabase.url === undefined
    ? openEmbedded({ entities, dataDir: testDatabase.dataDir })
    : openPostgres({ entities, url: testDatabase.url, poolSize: 10, log })

beforeAll(async () => {
  testDatabase = await createTestDatabase()
  database = await open()
  queue = createQueue({ database, log })
  await queue.start()
})
beforeEach(() => database.query('delete from delivery_jobs'))
afterAll(async () => {
  await queue.stop()
  await database.close()
  await testDatabase.remove()
})

const noExclusions: Exclusions = { projectIds: [], userIds: [] }
const newJob = (changes: Partial<NewJob> = {}): NewJob => ({
  deliveryId: newUuid(),
  userId: 'alice',
  projectId: newUuid(),
  sourceType: 'smtp',
  priority: 0,
  ...changes,
})
const enqueue = async (...jobs: NewJob[]) => queue.enqueue(database, jobs)
const claimIds = async (limit = 100, exclude = noExclusions) => (await queue.claim(limit, exclude)).map(({ deliveryId }) => deliveryId)
const claimOne = async (): Promise<Job> => {
  const [job] = await queue.claim(1, noExclusions)
  if (!job) throw new Error('There is no job.')
  return job
}
/** Makes every job due earlier, as if time had passed. */
const advance = (ms: number) => database.query(`update delivery_jobs set due_at = due_at - $1::int * interval '1 millisecond'`, [ms])
const dueInMs = async (): Promise<number> => {
  const [row] = await database.query<{ ms: number }>(
    'select (extract(epoch from due_at - now()) * 1000)::float8 as ms from delivery_jobs limit 1',
  )
  return row?.ms ?? Number.NaN
}

describe('claim', () => {
  it('returns each enqueued job once', async () => {
    const job = newJob({ requestId: 'request-1', traceContext: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' })
    await enqueue(job)
    const { priority: _, ...claimed } = job
    const expected = { ...claimed, claim: expect.any(Number), deferrals: 0, expiresInMs: null, suppresses: false }
    expect(await queue.claim(10, noExclusions)).toEqual([expected])
    expect(await queue.claim(10, noExclusions)).toEqual([])
  })

  it('orders jobs by priority, then by due time', async () => {
    const jobs = [newJob({ priority: -1 }), newJob(), newJob({ priority: minPriority }), newJob({ priority: -1 }), newJob()]
    for (const job of jobs) {
      await enqueue(job)
      await advance(1)
    }
    const order: string[] = []
    for (const _ of jobs) order.push((await claimOne()).deliveryId)
    expect(order).toEqual([1, 4, 0, 3, 2].map((position) => jobs[position]?.deliveryId))
  })

  it('returns at most `limit` jobs over all priorities', async () => {
    await enqueue(...[0, -3, -7].flatMap((priority) => Array.from({ length: 4 }, () => newJob({ priority }))))
    expect(await claimIds(6)).toHaveLength(6)
    expect(await claimIds(10)).toHaveLength(6)
  })

  it('skips jobs of excluded users and projects', async () => {
    const [alice, bob, carol] = ['alice', 'bob', 'carol'].map((userId) => newJob({ userId })) as [NewJob, NewJob, NewJob]
    await enqueue(alice, bob, carol)
    expect(await claimIds(10, { userIds: ['alice'], projectIds: [bob.projectId] })).toEqual([carol.deliveryId])
    expect((await claimIds()).sort()).toEqual([alice.deliveryId, bob.deliveryId].sort())
  })

  it('skips jobs that are not due', async () => {
    await enqueue(newJob())
    await database.query(`update delivery_jobs set due_at = now() + interval '1 hour'`)
    expect(await claimIds()).toEqual([])
    await advance(3_600_000)
    expect(await claimIds()).toHaveLength(1)
  })

  it('returns each job to one of several concurrent claims', async () => {
    const jobs = Array.from({ length: 200 }, () => newJob({ priority: -Math.floor(Math.random() * 5) }))
    await enqueue(...jobs)
    const claims = await Promise.all(Array.from({ length: 10 }, () => claimIds(30)))
    expect(claims.flat().sort()).toEqual(jobs.map(({ deliveryId }) => deliveryId).sort())
  })
})

describe('leases', () => {
  it('make a job due again under a new claim when they expire', async () => {
    await enqueue(newJob())
    const first = await claimOne()
    await advance(leaseMs - 1_000)
    expect(await claimIds()).toEqual([])
    await advance(1_000)
    expect(await claimOne()).toEqual({ ...first, claim: first.claim + 1 })
  })

  it('last longer when they are renewed', async () => {
    await enqueue(newJob())
    const job = await claimOne()
    await advance(leaseMs - 1_000)
    await queue.renew([job])
    await advance(leaseMs - 1_000)
    expect(await claimIds()).toEqual([])
  })

  it('do not allow a worker to change the job after they expire', async () => {
    await enqueue(newJob())
    const lost = await claimOne()
    await advance(leaseMs)
    const current = await claimOne()
    await queue.complete([lost])
    await queue.renew([lost])
    await queue.release([lost])
    await queue.reschedule([{ job: lost, delayMs: 3_600_000 }])
    expect(await countJobs(queue)).toBe(1)
    await advance(leaseMs)
    expect(await claimOne()).toEqual({ ...current, claim: lost.claim + 2 })
  })
})

describe('claimed jobs', () => {
  it('are deleted when they are completed', async () => {
    await enqueue(newJob())
    await queue.complete([await claimOne()])
    expect(await countJobs(queue)).toBe(0)
  })

  it('are due again at once, or after the given delay, when they are released', async () => {
    await enqueue(newJob())
    const first = await claimOne()
    await queue.release([first])
    const job = await claimOne()
    expect(job).toMatchObject({ claim: first.claim + 1, deferrals: 0 })
    await queue.release([job], 60_000)
    expect(await claimIds()).toEqual([])
    await advance(60_000)
    expect(await claimIds()).toEqual([job.deliveryId])
  })

  it('are due after the given delay and have the given number of deferrals when they are rescheduled', async () => {
    await enqueue(newJob())
    const first = await claimOne()
    await queue.reschedule([{ job: first, delayMs: 3_600_000, deferrals: 2 }])
    const inMs = await dueInMs()
    expect(inMs).toBeGreaterThan(3_500_000)
    expect(inMs).toBeLessThanOrEqual(3_600_000)
    await advance(3_600_000)
    expect(await claimOne()).toMatchObject({ claim: first.claim + 1, deferrals: 2 })
  })

  it('have no deferrals when they are rescheduled for another reason, even if they had some', async () => {
    await enqueue(newJob())
    await queue.reschedule([{ job: await claimOne(), delayMs: 0, deferrals: 1 }])
    await queue.reschedule([{ job: await claimOne(), delayMs: 0 }])
    expect(await claimOne()).toMatchObject({ deferrals: 0 })
  })

  onPostgres('do not make a worker wait while another transaction has locked them', async () => {
    await enqueue(newJob())
    const job = await claimOne()
    await database.transaction(async (transaction) => {
      await transaction.query('delete from delivery_jobs')
      await queue.renew([job])
      await queue.reschedule([{ job, delayMs: 0 }])
      await queue.release([job])
    })
    expect(await countJobs(queue)).toBe(0)
  })
})

it('adds jobs that are due at once, not at the start of the next millisecond', async () => {
  for (let times = 0; times < 20; times += 1)
    await database.transaction(async (transaction) => {
      await queue.enqueue(transaction, [newJob()])
      expect(await transaction.query('select 1 from delivery_jobs where due_at > now()')).toEqual([])
    })
})

it('adds no job when the transaction rolls back', async () => {
  const adding = database.transaction(async (transaction) => {
    await queue.enqueue(transaction, [newJob()])
    throw new Error('rolled back')
  })
  await expect(adding).rejects.toThrow('rolled back')
  expect(await countJobs(queue)).toBe(0)
})

it('counts due and scheduled jobs per project without leased ones', async () => {
  const [first, second] = [newJob(), newJob({ userId: 'bob' })]
  await enqueue(first, newJob({ projectId: first.projectId }), newJob({ projectId: first.projectId, priority: -1 }), second)
  await database.query(`update delivery_jobs set due_at = now() + interval '1 hour' where priority < 0`)
  await claimOne()
  const counts = await queue.countPending()
  expect(counts.reduce((sum, { due, scheduled }) => sum + due + scheduled, 0)).toBe(3)
  expect(counts).toContainEqual({ userId: 'alice', projectId: first.projectId, due: expect.any(Number), scheduled: 1 })
})

onEmbedded('makes jobs claimed by a killed process due at startup, but no scheduled jobs', async () => {
  const claimed = newJob({ priority: 0 })
  const scheduled = newJob({ priority: -1 })
  await enqueue(claimed, scheduled)
  await claimOne()
  await database.query(`update delivery_jobs set due_at = now() + interval '1 hour' where priority < 0`)
  const restarted = createQueue({ database, log })
  await restarted.start()
  expect(await claimIds()).toEqual([claimed.deliveryId])
  await restarted.stop()
})

onPostgres('notifies workers in other processes about new jobs', async () => {
  const otherDatabase = await open()
  const otherProcess = createQueue({ database: otherDatabase, log })
  await otherProcess.start()
  const notified = new Promise<void>((resolve) => otherProcess.onNotify(resolve))
  queue.notify()
  await notified
  await otherProcess.stop()
  await otherDatabase.close()
})
