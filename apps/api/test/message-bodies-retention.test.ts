import pino from 'pino'
import { expect, it } from 'vitest'
import { createRetention } from '../src/features/delivery/retention.ts'
import { firstUuidOf } from '../src/shared/ids.ts'
import { type DirectQuery, onDatabase } from './support/direct-database.ts'
import { acquireDatabase } from './support/pooled-database.ts'

const dayMs = 24 * 3_600_000
const contentMs = 30 * dayMs
const now = new Date('2026-11-22T12:00:00.000Z')
const daysAgo = (days: number): Date => new Date(now.getTime() - days * dayMs)

/**
 * Stores `count` notifications with `deliveries` message bodies each. The times in the notification ids are consecutive
 * milliseconds that start at `createdAt`.
 */
const store = (query: DirectQuery, count: number, deliveries: number, createdAt: Date, settledAt: Date | null): Promise<unknown> =>
  query(
    `with ids as (
       select n, (lpad(to_hex($1::bigint + n), 12, '0') || substr(replace(gen_random_uuid()::text, '-', ''), 13))::uuid as id
       from generate_series(1, $2::int) n
     ), bodies as (
       insert into message_bodies select id, gen_random_uuid(), 'Invoice', '{"subject": "Invoice", "text": "It is ready."}'
       from ids, generate_series(1, $3::int)
     )
     insert into notifications (id, user_id, project_id, status, created_at, settled_at)
     select id, 'alice', gen_random_uuid(), case when $5::timestamptz is null then 'queued' else 'sent' end, $4, $5 from ids`,
    [createdAt.getTime(), count, deliveries, createdAt, settledAt],
  )

const runRetention = (query: DirectQuery): Promise<void> =>
  createRetention({
    database: { query } as never,
    clock: { now: () => now },
    log: pino({ level: 'silent' }),
    contentMs,
    logMs: 90 * dayMs,
    eventsMs: 0,
    historyMs: 400 * 24 * 3_600_000,
  }).run()

it('deletes the message bodies of notifications that were completed more than 30 days ago, in several batches', async () => {
  const database = await acquireDatabase()
  try {
    await onDatabase(database, async (query) => {
      // More pending bodies than a batch holds come before and between the expired ones.
      await store(query, 700, 1, daysAgo(60), null)
      await store(query, 1_100, 2, daysAgo(50), daysAgo(31))
      await store(query, 10, 1, daysAgo(45), null)
      await store(query, 300, 3, daysAgo(40), daysAgo(29))
      await store(query, 7, 1, daysAgo(31), daysAgo(31))
      await store(query, 20, 1, daysAgo(1), daysAgo(1))
      await runRetention(query)
      const remaining = await query<{ pending: boolean; recent: boolean; count: number }>(
        `select settled_at is null as pending, settled_at > $1 as recent, count(*)::int as count
         from message_bodies c join notifications n on n.id = c.notification_id group by 1, 2 order by 1`,
        [daysAgo(30)],
      )
      expect(remaining).toEqual([
        { pending: false, recent: true, count: 920 },
        { pending: true, recent: null, count: 710 },
      ])
      const [log] = await query<{ count: number }>('select count(*)::int as count from notifications')
      expect(log?.count).toBe(2_137)
    })
  } finally {
    await database.remove()
  }
})

it('deletes message bodies together with their notification, even if they have not expired', async () => {
  const database = await acquireDatabase()
  try {
    await onDatabase(database, async (query) => {
      await store(query, 5, 2, daysAgo(100), daysAgo(91))
      // The id of this notification is from a process whose clock was ahead, so its body has not expired.
      await query(
        'update message_bodies set notification_id = $1 where notification_id = (select id from notifications order by id limit 1)',
        [firstUuidOf(now)],
      )
      await query('update notifications set id = $1 where id = (select id from notifications order by id limit 1)', [firstUuidOf(now)])
      await runRetention(query)
      expect(await query('select 1 from message_bodies union all select 1 from notifications')).toEqual([])
    })
  } finally {
    await database.remove()
  }
})
