import { Migration } from '@mikro-orm/migrations'

/**
 * Adds a column that marks pending deliveries whose integration was deleted. Such deliveries must not fall back to the
 * deployment's credential.
 */
export class RemovedCredentialsMigration extends Migration {
  override async up(): Promise<void> {
    this.addSql('alter table deliveries add column credential_removed boolean not null default false')
  }
}
