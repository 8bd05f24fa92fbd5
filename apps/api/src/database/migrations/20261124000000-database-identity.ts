import type { Migration } from '../migrate/migration.ts'

/**
 * Adds a table whose only row stores the database's identity. A process compares the stored identity with the actual one,
 * to detect that the database was restored or copied. The row also stores whether messages are on hold after a restore.
 */
export const databaseIdentity: Migration = {
  name: '20261124000000-database-identity',
  statements: [
    `create table flowpost_identity (
       single_row boolean not null default true check (single_row),
       system_identifier text null,
       database_id text not null,
       written_in bigint not null,
       restored_at timestamptz(3) null,
       held_since timestamptz(3) null,
       canceling boolean not null default false,
       primary key (single_row)
     )`,
  ],
}
