import type { Migration } from '../migrate/migration.ts'

/** Adds a column with the time after which no attempt may start. Workers of earlier releases ignore this column. */
export const jobExpiry: Migration = {
  name: '20261124000110-job-expiry',
  statements: ['alter table delivery_jobs add column expires_at timestamptz(3)'],
}
