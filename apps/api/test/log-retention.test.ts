import { pino } from 'pino'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import type { Database } from '../src/database/database.ts'
import { createRetention } from '../src/features/delivery/retention.ts'
import { openTestDatabase } from './support/open-database.ts'
import { acquireDatabase } from './support/pooled-database.ts'
import type { TestDatabase } from './support/test-database.ts'

const dayMs = 24 * 3_600_000

let testDatabase: TestDatabase
let database: Database

beforeAll(async () => {
  testDatabase = await acquireDatabase()
  database = await openTestDatabase(testDatabase)
})
beforeEach(async () => {
  await database.query('delete from notifications')
  await database.query('delete from deliveries')
})
afterAll(async () => {
  await database.close()
  await testDatabase.remove()
})

/** Stores `count` notifications with `deliveries` deliveries each, which were completed `days` days ago. */
const store = (count: number, deliveries: number, days: number): Promise<unknown> =>
  database.query(
    `with ids as (select gen_random_uuid() as id from generate_series(1, $1::int)), stored as (
       insert into notifications (id, user_id, project_id, status, created_at, settled_at)
       select id, 'alice', id, 'sent', now() - $3::int * interval '1 day', now() - $3::int * interval '1 day' from ids
     )
     insert into deliveries (id, notification_id, user_id, project_id, flow_id, source_type, target, status, captured, cancel_requested,
       attempt_count, created_at)
     select gen_random_uuid(), id, 'alice', id, id, 'smtp', 'a@example.com', 'sent', false, false, 1, now()
     from ids, generate_series(1, $2::int)`,
    [count, deliveries, days],
  )

const countRows = async (): Promise<{ readonly notifications: number; readonly deliveries: number }> => {
  const [counts] = await database.query<{ notifications: number; deliveries: number }>(
    'select (select count(*)::int from notifications) as notifications, (select count(*)::int from deliveries) as deliveries',
  )
  return counts ?? { notifications: -1, deliveries: -1 }
}

/** Runs retention. Returns the number of deliveries that each statement has deleted, without the statements that deleted none. */
const runRetention = async (): Promise<number[]> => {
  const deleted: number[] = []
  const query: Database['query'] = async <Row extends object>(...statement: Parameters<Database['query']>) => {
    const before = await countRows()
    const rows = await database.query<Row>(...statement)
    const count = before.deliveries - (await countRows()).deliveries
    if (count > 0) deleted.push(count)
    return rows
  }
  await createRetention({
    database: { ...database, query },
    clock: { now: () => new Date() },
    log: pino({ level: 'silent' }),
    contentMs: 30 * dayMs,
    logMs: 90 * dayMs,
    eventsMs: 7 * dayMs,
    historyMs: 400 * dayMs,
  }).run()
  return deleted
}

it('deletes notifications with 1,000 deliveries each, a few at a time', async () => {
  await store(7, 1_000, 91)
  expect(await runRetention()).toEqual([2_000, 2_000, 2_000, 1_000])
  expect(await countRows()).toEqual({ notifications: 0, deliveries: 0 })
})

it('deletes a notification completely even if it exceeds the limit of a batch', async () => {
  await store(1, 1_999, 92)
  await store(2, 1_000, 91)
  expect(await runRetention()).toEqual([2_999, 1_000])
  expect(await countRows()).toEqual({ notifications: 0, deliveries: 0 })
})

it('deletes at most 500 notifications at a time, and none that were completed recently', async () => {
  await store(700, 1, 91)
  await store(3, 0, 91)
  await store(5, 2, 89)
  expect((await runRetention()).every((count) => count <= 500)).toBe(true)
  expect(await countRows()).toEqual({ notifications: 5, deliveries: 10 })
})
