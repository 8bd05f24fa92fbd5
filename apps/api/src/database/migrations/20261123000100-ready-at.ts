import type { Migration } from '../migrate/migration.ts'

/**
 * Adds a column with the time from which the latency of a delivery is measured, if that is not its creation. The column is
 * null for all other deliveries, so it takes no space.
 */
export const readyAt: Migration = {
  name: '20261123000100-ready-at',
  statements: ['alter table deliveries add column ready_at timestamptz(3)'],
}
