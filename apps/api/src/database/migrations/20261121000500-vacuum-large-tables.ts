import type { Migration } from '../migrate/migration.ts'

const tables = ['notifications', 'deliveries', 'attempts', 'captured_messages', 'idempotency_keys']

/**
 * Makes autovacuum run more often on large tables. By default, it vacuums a table when a fifth of the rows are dead. A table
 * with ten million rows takes several days to reach this threshold. With a threshold of a fiftieth, autovacuum runs about
 * twice a day.
 *
 * Also leaves free space in the pages of `attempts`. An attempt is updated once, soon after its insert, and no updated
 * column is indexed. If the page has free space, that update is heap-only and changes no index.
 */
export const vacuumLargeTables: Migration = {
  name: '20261121000500-vacuum-large-tables',
  statements: [
    ...tables.map(
      (table) =>
        `alter table ${table} set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05)`,
    ),
    'alter table attempts set (fillfactor = 90)',
  ],
}
