import { join } from 'node:path'
import { MikroORM as PGliteORM } from '@mikro-orm/pglite'
import { MikroORM as PostgresORM } from '@mikro-orm/postgresql'
import { expect, it } from 'vitest'
import { ormOptions } from '../src/database/orm.ts'
import { createTestDatabase } from './test-database.ts'

it('the migration keeps what is to be sent and every subject that is still kept', async () => {
  const database = await createTestDatabase()
  const orm =
    database.url === undefined
      ? await PGliteORM.init({ ...ormOptions, dbName: join(database.dataDir, 'db') })
      : await PostgresORM.init({ ...ormOptions, clientUrl: database.url })
  const run = (text: string) => orm.em.getConnection().execute(text)
  try {
    // The test's database is migrated already.
    await run('drop schema public cascade')
    await run('create schema public')
    await orm.migrator.up({ to: '20261121000500-vacuum-large-tables' })
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
    await orm.migrator.up()
    expect(await run('select delivery_id, subject, content from contents order by 1')).toEqual([
      { delivery_id: '00000000-0000-7000-9000-000000000011', subject: 'Invoice', content: { text: '1-1' } },
      { delivery_id: '00000000-0000-7000-9000-000000000012', subject: 'Invoice', content: { text: '1-2' } },
      { delivery_id: '00000000-0000-7000-9000-000000000021', subject: null, content: { text: '2-1' } },
      { delivery_id: '00000000-0000-7000-9000-000000000022', subject: null, content: { text: '2-2' } },
    ])
    expect(await run('select 1 from deliveries')).toHaveLength(6)
  } finally {
    await orm.close(true)
    await database.remove()
  }
})
