import type { Migration } from '../migrate/migration.ts'

/**
 * Adds a column that marks deliveries of test keys, so that a worker needs no join to simulate their outcomes. These
 * deliveries are also marked `captured`, so that a worker of an earlier release does not send them.
 */
export const testDeliveries: Migration = {
  name: '20261124000310-test-deliveries',
  statements: ['alter table deliveries add column test boolean'],
}
