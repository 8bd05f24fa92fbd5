import type { Migration } from '../migrate/migration.ts'

/**
 * Adds a mark on deliveries that were sent with a test key, so that a worker needs no join to simulate their outcomes.
 * These deliveries are also `captured`, so a worker of an earlier release captures them too.
 */
export const testDeliveries: Migration = {
  name: '20261124000310-test-deliveries',
  statements: ['alter table deliveries add column test boolean'],
}
