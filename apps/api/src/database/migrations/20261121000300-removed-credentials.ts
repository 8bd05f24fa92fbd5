import { Migration } from '@mikro-orm/migrations'

/** A delivery that waited with its project's own credential, which was deleted, must not fall back to the deployment's. */
export class RemovedCredentialsMigration extends Migration {
  override async up(): Promise<void> {
    this.addSql('alter table deliveries add column credential_removed boolean not null default false')
  }
}
