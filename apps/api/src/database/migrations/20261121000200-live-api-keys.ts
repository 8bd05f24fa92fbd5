import type { Migration } from '../migrate/migration.ts'

/** Revoked keys stay in the table. A partial index on the other keys keeps the cost of listing them constant. */
export const liveApiKeys: Migration = {
  name: '20261121000200-live-api-keys',
  statements: [
    'create index api_keys_live_user_id_id_index on api_keys (user_id, id) where revoked_at is null',
    'drop index api_keys_user_id_id_index',
  ],
}
