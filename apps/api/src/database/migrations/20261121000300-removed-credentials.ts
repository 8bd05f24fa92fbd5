import { Migration } from '@mikro-orm/migrations'

/** Adds a mark for pending deliveries whose integration was deleted. They must not fall back to the deployment's credential. */
export class RemovedCredentialsMigration extends Migration {
  override async up(): Promise<void> {
    this.addSql('alter table deliveries add column credential_removed boolean not null default false')
  }
}
