import type { Migration } from '../../src/database/migrate/migration.ts'
import { migrations } from '../../src/database/migrations/index.ts'

/**
 * The migrations of the release from which the tests upgrade. The current version plays this role, and {@link nextRelease} adds
 * invented migrations.
 */
export const previousRelease: readonly Migration[] = migrations

const tables = ['notifications', 'deliveries', 'message_bodies', 'delivery_jobs', 'attempts']

const addNote = (table: string, position: number): Migration => ({
  name: `2999010100000${position}-${table}`,
  statements: [`alter table ${table} add column note text not null default 'none'`],
})

/** The migrations of the next release. They extend every table that holds messages, and index and update existing tables. */
export const nextRelease: readonly Migration[] = [
  ...migrations,
  ...tables.map(addNote),
  {
    name: '29990102000000-note-index',
    transactional: false,
    statements: [
      'drop index concurrently if exists deliveries_note_index',
      'create index concurrently deliveries_note_index on deliveries (note)',
      "update notifications set note = 'old' where id in (select id from notifications where note = 'none' limit 1000)",
    ],
  },
]
