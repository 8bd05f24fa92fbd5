import { Migration } from '@mikro-orm/migrations'

const tables = ['notifications', 'deliveries', 'attempts', 'captured_messages', 'idempotency_keys']

/**
 * By default, autovacuum vacuums a table when a fifth of its rows are dead. A table of ten million rows reaches that after
 * several days. With a threshold of a fiftieth, autovacuum runs about twice a day. An attempt is updated once, soon after
 * its insert, and the updated columns are not indexed: if the page of the attempt has free space, the update is heap-only
 * and changes no index.
 */
export class VacuumLargeTablesMigration extends Migration {
  override async up(): Promise<void> {
    for (const table of tables)
      this.addSql(
        `alter table ${table} set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05)`,
      )
    this.addSql('alter table attempts set (fillfactor = 90)')
  }
}
