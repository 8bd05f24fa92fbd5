import type { Migration } from '../migrate/migration.ts'

/**
 * Adds a column with the time from which the latency of a delivery is measured. The column is null, and takes no space, if
 * that time is the creation of the delivery.
 */
export const readyAt: Migration = {
  name: '20261123000100-ready-at',
  statements: ['alter table deliveries add column ready_at timestamptz(3)'],
}
