import type { Migration } from '../migrate/migration.ts'

/**
 * Adds a table with one row: the release that last migrated the database, and the newest migration that a process must
 * know to use the database. Each process reads this row at startup to decide whether it may run.
 */
export const compatibilityWindow: Migration = {
  name: '20261123000000-compatibility-window',
  statements: [
    `create table flowpost_compatibility (
       single_row boolean not null default true check (single_row),
       required_migration text not null,
       migrated_by text not null,
       migrated_at timestamptz(3) not null,
       primary key (single_row)
     )`,
  ],
}
