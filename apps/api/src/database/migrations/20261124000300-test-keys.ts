import type { Migration } from '../migrate/migration.ts'

/**
 * Adds the mode of API keys, and a mark on notifications that were sent with a test key. The mark is null, and takes no
 * space, for all other notifications. Earlier releases reject test keys, because the tokens of test keys are hashed
 * differently.
 */
export const testKeys: Migration = {
  name: '20261124000300-test-keys',
  statements: [`alter table api_keys add column mode text not null default 'live'`, 'alter table notifications add column test boolean'],
}
