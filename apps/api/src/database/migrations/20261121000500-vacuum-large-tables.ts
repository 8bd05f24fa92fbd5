import { Migration } from '@mikro-orm/migrations'

const tables = ['notifications', 'deliveries', 'attempts', 'captured_messages', 'idempotency_keys']

/**
 * A server vacuums a table when a fifth of it is dead: of a log of ten million rows two million, which is what several days leave.
 * With a fiftieth it does so about twice a day. An attempt is changed once, soon after it is made, and no index has
 * what changes: with room in its page, the indexes are left alone.
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
