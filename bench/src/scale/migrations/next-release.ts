import type { Migration } from '../../../../apps/api/src/database/migrate/migration.ts'

const tables = ['notifications', 'deliveries', 'message_bodies', 'delivery_jobs', 'attempts']
const backfillSize = 1_000

/**
 * Migrations that a later release might have: they add columns to the message tables, build an index and update rows in
 * batches.
 */
export const nextRelease: readonly Migration[] = [
  ...tables.map((table, position) => ({
    name: `2999010100000${position}-${table}-note`,
    statements: [`alter table ${table} add column note text not null default 'none'`],
  })),
  {
    name: '29990102000000-deliveries-note-index',
    transactional: false,
    statements: [
      'drop index concurrently if exists deliveries_note_index',
      'create index concurrently deliveries_note_index on deliveries (note, notification_id)',
    ],
  },
  {
    name: '29990103000000-notifications-note',
    transactional: false,
    statements: Array.from(
      { length: 10 },
      () => `update notifications set note = 'old' where id in (select id from notifications where note = 'none' limit ${backfillSize})`,
    ),
  },
]
