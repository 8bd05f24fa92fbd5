import type { Migration } from '../migrate/migration.ts'

/**
 * Adds a partial index on the keys that are not revoked. Revoked keys stay in the table, and listing the other keys
 * must not become slower because of them.
 */
export const liveApiKeys: Migration = {
  name: '20261121000200-live-api-keys',
  statements: [
    'create index api_keys_live_user_id_id_index on api_keys (user_id, id) where revoked_at is null',
    'drop index api_keys_user_id_id_index',
  ],
}
