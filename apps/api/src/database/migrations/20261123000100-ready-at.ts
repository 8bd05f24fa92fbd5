import { Migration } from '@mikro-orm/migrations'

/**
 * Adds a column with the time from which the latency of a delivery is measured, if that is not its creation. The column is
 * null for all other deliveries, so it takes no space.
 */
export class ReadyAtMigration extends Migration {
  override async up(): Promise<void> {
    this.addSql('alter table deliveries add column ready_at timestamptz(3)')
  }
}
