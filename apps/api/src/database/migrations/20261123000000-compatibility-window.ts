import type { Migration } from '../migrate/migration.ts'

/**
 * Adds a table with one row. The row contains the release that last migrated the database, and the name of the migration
 * that a release must contain to use the database. Each process reads the row at startup. A process does not start if its
 * release does not contain this migration.
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
