import { pino } from 'pino'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import type { Database } from '../src/database/database.ts'
import type { Job, NewJob } from '../src/features/delivery/queue/job.ts'
import { createQueue, type Queue } from '../src/features/delivery/queue/queue.ts'
import { newUuid } from '../src/shared/ids.ts'
import { openTestDatabase } from './support/open-database.ts'
import { createTestDatabase, type TestDatabase } from './support/test-database.ts'

let testDatabase: TestDatabase
let database: Database
let queue: Queue

beforeAll(async () => {
  testDatabase = await createTestDatabase()
  database = await openTestDatabase(testDatabase)
  queue = createQueue({ database, log: pino({ level: 'silent' }) })
})
beforeEach(() => database.query('delete from delivery_jobs'))
afterAll(async () => {
  await database.close()
  await testDatabase.remove()
})

const inAnHour = new Date(Date.now() + 3_600_000).toISOString()
const jobOf = (userId: string, dueAt: string | null = null): NewJob => ({
  deliveryId: newUuid(),
  userId,
  projectId: newUuid(),
  sourceType: 'smtp',
  priority: 0,
  dueAt,
})

it('counts the jobs by state, and those of the user who has the most', async () => {
  const empty = { due: 0, leased: 0, waiting: 0, scheduled: 0, oldestDueSeconds: 0, maxUserDue: 0, maxUserScheduled: 0 }
  expect(await queue.countByState()).toEqual(empty)

  const due = [jobOf('alice'), jobOf('alice'), jobOf('alice'), jobOf('bob')]
  await queue.enqueue(database, [...due, jobOf('alice', inAnHour), jobOf('bob', inAnHour), jobOf('bob', inAnHour)])
  await queue.claim(1, { projectIds: [], userIds: ['alice'] })
  const [waiting] = await queue.claim(1, { projectIds: [], userIds: ['bob'] })
  if (waiting) await queue.reschedule([{ job: waiting, delayMs: 60_000 }])
  await database.query(`update delivery_jobs set due_at = now() - interval '1 minute' where not leased and due_at <= now()`)
  const state = await queue.countByState()
  expect(state).toMatchObject({ due: 2, leased: 1, waiting: 1, scheduled: 3, maxUserDue: 3, maxUserScheduled: 2 })
  expect(state.oldestDueSeconds).toBeGreaterThanOrEqual(60)
})

it.each<[string, (job: Job) => Promise<void>]>([
  ['a rescheduled job', (job) => queue.reschedule([{ job, delayMs: 60_000 }])],
  ['a job that was released for a while', (job) => queue.release([job], 60_000)],
])('counts %s against the limit of due jobs, not of scheduled ones', async (_, wait) => {
  const scheduled = jobOf('alice', inAnHour)
  const { projectId } = scheduled
  await queue.enqueue(database, [{ ...jobOf('alice'), projectId }])
  const [job] = await queue.claim(1, { projectIds: [], userIds: [] })
  if (job) await wait(job)
  await queue.enqueue(database, [scheduled])
  expect(await queue.countPending()).toEqual([{ userId: 'alice', projectId, due: 1, scheduled: 1 }])
  expect(await queue.countByState()).toMatchObject({ due: 0, leased: 0, waiting: 1, scheduled: 1 })
})
