import { Migration } from '@mikro-orm/migrations'

/** Revoked keys are kept, so the list of the others has an index of its own: its cost must not grow with them. */
export class LiveApiKeysMigration extends Migration {
  override async up(): Promise<void> {
    this.addSql('create index api_keys_live_user_id_id_index on api_keys (user_id, id) where revoked_at is null')
    this.addSql('drop index api_keys_user_id_id_index')
  }
}
