import type { Migration } from '../migrate/migration.ts'

/**
 * Adds the mode of API keys, and the mark of notifications that were sent with a test key. The mark is null for all other
 * notifications, so it takes no space. Earlier releases do not find test keys, because the hash of their tokens differs.
 */
export const testKeys: Migration = {
  name: '20261124000300-test-keys',
  statements: [`alter table api_keys add column mode text not null default 'live'`, 'alter table notifications add column test boolean'],
}
