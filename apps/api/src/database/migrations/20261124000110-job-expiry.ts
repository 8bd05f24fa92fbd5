import type { Migration } from '../migrate/migration.ts'

/** Adds the time from which no attempt may start. A worker of an earlier release ignores it. */
export const jobExpiry: Migration = {
  name: '20261124000110-job-expiry',
  statements: ['alter table delivery_jobs add column expires_at timestamptz(3)'],
}
