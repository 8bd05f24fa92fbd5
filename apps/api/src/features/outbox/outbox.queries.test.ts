import { afterAll, beforeAll, expect, it } from 'vitest'
import { openTestDatabase } from '../../../test/support/open-database.ts'
import { createTestDatabase, type TestDatabase } from '../../../test/support/test-database.ts'
import { type Database, textOf } from '../../database/database.ts'
import { createCapturedMessageStore, type OutboxPageRequest, type OutboxViewer } from './outbox.queries.ts'

const copies = 2_000

let testDatabase: TestDatabase
let database: Database

beforeAll(async () => {
  testDatabase = await createTestDatabase()
  database = await openTestDatabase(testDatabase)
  // The first message is the oldest one. Alice has the first ten messages. The first tenth is for Teams.
  await database.query(
    `insert into captured_messages (delivery_id, user_id, notification_id, project_id, flow_id, source_type, kind, target, subject, headers, raw, captured_at)
     select lpad(to_hex(g), 32, '0')::uuid, case when g <= 10 then 'alice' else 'bob' end, gen_random_uuid(), gen_random_uuid(),
       gen_random_uuid(), case when g <= ${copies / 10} then 'teams' else 'smtp' end, 'email', 'a@example.com', 'Message ' || g, '[]', '', now()
     from generate_series(1, ${copies}) g`,
  )
  await database.query('analyze captured_messages')
})
afterAll(async () => {
  await database.close()
  await testDatabase.remove()
})

/** Returns the subjects of a page, and the number of rows that a filter removed. */
const readPage = async (viewer: OutboxViewer, page: OutboxPageRequest): Promise<{ subjects: readonly string[]; removed: number }> => {
  let removed = 0
  const query: Database['query'] = async (statement, values) => {
    const rows = await database.query<{ 'QUERY PLAN': string }>(`explain (analyze, timing off) ${textOf(statement)}`, values)
    for (const row of rows) removed += Number(/Rows Removed by Filter: (\d+)/.exec(row['QUERY PLAN'])?.[1] ?? 0)
    return database.query(statement, values)
  }
  const { messages } = await createCapturedMessageStore({ ...database, query }).list(viewer, page)
  return { subjects: messages.map(({ subject }) => subject), removed }
}

it.each<[OutboxViewer, number]>([
  [{ all: true }, copies / 10],
  [{ userId: 'alice' }, 10],
])('finds the messages of a rare provider without reading the others: %j', async (viewer, newest) => {
  const { subjects, removed } = await readPage(viewer, { limit: 50, sourceType: 'teams' })
  expect(subjects).toHaveLength(Math.min(50, newest))
  expect(subjects[0]).toBe(`Message ${newest}`)
  expect(removed).toBe(0)
})

it('reads only the newest messages for a page of a frequent provider', async () => {
  const { subjects, removed } = await readPage({ all: true }, { limit: 2, sourceType: 'smtp' })
  expect(subjects).toEqual([`Message ${copies}`, `Message ${copies - 1}`])
  expect(removed).toBe(0)
})
