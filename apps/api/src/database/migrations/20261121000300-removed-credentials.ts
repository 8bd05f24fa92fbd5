import { Migration } from '@mikro-orm/migrations'

/** Marks pending deliveries whose integration was deleted, because they must not fall back to the credential of the deployment. */
export class RemovedCredentialsMigration extends Migration {
  override async up(): Promise<void> {
    this.addSql('alter table deliveries add column credential_removed boolean not null default false')
  }
}
