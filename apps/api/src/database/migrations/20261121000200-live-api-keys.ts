import { Migration } from '@mikro-orm/migrations'

/** Revoked keys stay in the table. A partial index on the other keys keeps the cost of listing them constant. */
export class LiveApiKeysMigration extends Migration {
  override async up(): Promise<void> {
    this.addSql('create index api_keys_live_user_id_id_index on api_keys (user_id, id) where revoked_at is null')
    this.addSql('drop index api_keys_user_id_id_index')
  }
}
