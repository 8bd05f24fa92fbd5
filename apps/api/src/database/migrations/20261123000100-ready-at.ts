import type { Migration } from '../migrate/migration.ts'

/**
 * Adds a column with the time from which a delivery's latency is measured. If the latency is measured from the creation of
 * the delivery, the column is null and takes no space.
 */
export const readyAt: Migration = {
  name: '20261123000100-ready-at',
  statements: ['alter table deliveries add column ready_at timestamptz(3)'],
}
