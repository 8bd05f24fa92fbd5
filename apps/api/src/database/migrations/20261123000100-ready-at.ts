import type { Migration } from '../migrate/migration.ts'

/**
 * Adds a column with the time from which a delivery's latency is measured. The column is null, and takes no space, if
 * that is the time when the delivery was created.
 */
export const readyAt: Migration = {
  name: '20261123000100-ready-at',
  statements: ['alter table deliveries add column ready_at timestamptz(3)'],
}
