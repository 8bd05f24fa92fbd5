import { randomUUID } from 'node:crypto'
import { Client } from 'pg'
import { expect, inject, it } from 'vitest'
import { onDatabase } from './support/direct-database.ts'
import { emptyDatabase, migrateDatabase } from './support/migrate-database.ts'
import { createTestDatabase } from './support/test-database.ts'

const previousMigration = '20261121000500-vacuum-large-tables'

/** Returns the statement that stores a notification with one delivery in the schema before the migration. */
const storeInOldSchema = (deliveryId: string): string => `
  with notified as (
    insert into notifications (id, user_id, project_id, status, subject, created_at)
    values (gen_random_uuid(), 'alice', gen_random_uuid(), 'queued', 'Invoice', now()) returning id
  )
  insert into deliveries (id, notification_id, user_id, project_id, flow_id, source_type, target, status, captured, cancel_requested,
    attempt_count, content, created_at)
  select '${deliveryId}', id, 'alice', gen_random_uuid(), gen_random_uuid(), 'smtp', 'a@example.com', 'queued', false, false, 0,
    '{"text": "It is ready."}', now()
  from notified`

it('the migration moves the subject and content of every delivery that has content', async () => {
  const database = await createTestDatabase()
  try {
    await onDatabase(database, async (run) => {
      await emptyDatabase(run)
      await migrateDatabase(run, previousMigration)
      await run(`
      insert into notifications (id, user_id, project_id, status, subject, created_at)
      select ('00000000-0000-7000-8000-00000000000' || n)::uuid, 'alice', gen_random_uuid(), 'queued', case when n = 1 then 'Invoice' end, now()
      from generate_series(1, 3) n`)
      await run(`
      insert into deliveries (id, notification_id, user_id, project_id, flow_id, source_type, target, status, captured, cancel_requested,
        attempt_count, content, created_at)
      select ('00000000-0000-7000-9000-0000000000' || n || m)::uuid, ('00000000-0000-7000-8000-00000000000' || n)::uuid, 'alice',
        gen_random_uuid(), gen_random_uuid(), 'smtp', 'a@example.com', 'queued', false, false, 0,
        case when n < 3 then jsonb_build_object('text', n || '-' || m) end, now()
      from generate_series(1, 3) n, generate_series(1, 2) m`)
      await migrateDatabase(run)
      expect(await run('select delivery_id, subject, content from message_bodies order by 1')).toEqual([
        { delivery_id: '00000000-0000-7000-9000-000000000011', subject: 'Invoice', content: { text: '1-1' } },
        { delivery_id: '00000000-0000-7000-9000-000000000012', subject: 'Invoice', content: { text: '1-2' } },
        { delivery_id: '00000000-0000-7000-9000-000000000021', subject: null, content: { text: '2-1' } },
        { delivery_id: '00000000-0000-7000-9000-000000000022', subject: null, content: { text: '2-2' } },
      ])
      expect(await run('select 1 from deliveries')).toHaveLength(6)
    })
  } finally {
    await database.remove()
  }
})

it.runIf(inject('postgres'))('the migration also moves a message whose transaction is open when the migration starts', async () => {
  const database = await createTestDatabase()
  const client = new Client({ connectionString: database.url })
  await client.connect()
  try {
    await onDatabase(database, async (run) => {
      await emptyDatabase(run)
      await migrateDatabase(run, previousMigration)
    })
    const deliveryId = randomUUID()
    await client.query('begin')
    await client.query(storeInOldSchema(deliveryId))
    const migrated = onDatabase(database, (run) => migrateDatabase(run))
    const isWaiting = async () =>
      (await client.query(`select 1 from pg_locks where not granted and relation = 'notifications'::regclass`)).rowCount
    await expect.poll(isWaiting).toBe(1)
    await client.query('commit')
    await migrated
    const { rows } = await client.query('select delivery_id, subject, content from message_bodies')
    expect(rows).toEqual([{ delivery_id: deliveryId, subject: 'Invoice', content: { text: 'It is ready.' } }])
  } finally {
    await client.end()
    await database.remove()
  }
})
