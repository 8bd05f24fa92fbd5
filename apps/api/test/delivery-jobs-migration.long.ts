import { expect, it } from 'vitest'
import { onDatabase } from './support/direct-database.ts'
import { emptyDatabase, migrateDatabase } from './support/migrate-database.ts'
import { createTestDatabase } from './support/test-database.ts'

const previous = '20261122000000-contents'
const deliveryId = (n: number) => `00000000-0000-7000-9000-00000000000${n}`

/** Stores a delivery in each status, and stores jobs for the open ones with pg-boss, as the previous release did. */
const storePgBossJobs = `
  insert into deliveries (id, notification_id, user_id, project_id, flow_id, source_type, target, status, captured, cancel_requested,
    attempt_count, next_attempt_at, created_at)
  select ('00000000-0000-7000-9000-00000000000' || n)::uuid, gen_random_uuid(), 'alice', gen_random_uuid(), gen_random_uuid(), 'smtp',
    'a@example.com', status, false, false, 0, at, now()
  from (values (1, 'queued', null::timestamptz), (2, 'queued', '2030-01-01T00:00:00Z'), (3, 'sending', null), (4, 'retrying', '2030-02-02T00:00:00Z'),
    (5, 'sent', null), (6, 'failed', null), (7, 'canceled', null), (8, 'ambiguous', null)) v (n, status, at);
  create schema flowpost_queue;
  create type flowpost_queue.job_state as enum ('created', 'retry', 'active', 'completed', 'cancelled', 'failed');
  create table flowpost_queue.job (id uuid default gen_random_uuid(), data jsonb, state flowpost_queue.job_state, priority int);
  insert into flowpost_queue.job (data, state, priority)
  select jsonb_build_object('key', '00000000-0000-7000-9000-00000000000' || n), state::flowpost_queue.job_state, priority
  from (values (1, 'created', -4), (2, 'created', 0), (3, 'active', -2), (4, 'retry', -30), (5, 'completed', -1)) v (n, state, priority)`

it.each([
  ['with jobs of the previous release', storePgBossJobs],
  ['without a queue', storePgBossJobs.split(';')[0] ?? ''],
])('creates a job for each open delivery of a database %s', async (_, setup) => {
  const database = await createTestDatabase()
  try {
    await onDatabase(database, async (run) => {
      await emptyDatabase(run)
      await migrateDatabase(run, previous)
      for (const statement of setup.split(';')) await run(statement)
      await migrateDatabase(run)
      const jobs = await run<{ delivery_id: string; priority: number; due: string; leased: boolean }>(
        `select delivery_id, priority, leased, case when due_at > now() + interval '1 minute' then due_at::date::text
         when due_at > now() then 'lease' else 'now' end as due
       from delivery_jobs order by delivery_id`,
      )
      const priorities = setup === storePgBossJobs ? [-4, 0, -2, -20] : [0, 0, 0, 0]
      expect(jobs).toEqual([
        { delivery_id: deliveryId(1), priority: priorities[0], due: 'now', leased: false },
        { delivery_id: deliveryId(2), priority: priorities[1], due: '2030-01-01', leased: false },
        { delivery_id: deliveryId(3), priority: priorities[2], due: 'lease', leased: true },
        { delivery_id: deliveryId(4), priority: priorities[3], due: '2030-02-02', leased: false },
      ])
      expect(await run(`select 1 from pg_namespace where nspname = 'flowpost_queue'`)).toEqual([])
    })
  } finally {
    await database.remove()
  }
})
