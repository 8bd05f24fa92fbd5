import type { Migration } from '../migrate/migration.ts'

/**
 * Adds a table with one row: the release that last migrated the database, and the required migration. Each process
 * reads this row at startup. A process whose release does not contain the required migration does not start.
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
