import type { Migration } from '../migrate/migration.ts'

/**
 * Adds a column that marks jobs that a worker has claimed at least once. The queue limit uses it to distinguish
 * scheduled jobs from jobs that wait for a retry, a rate limit or a failing provider. Workers of earlier releases do
 * not set it, so their waiting jobs still count as scheduled.
 */
export const claimedJobs: Migration = {
  name: '20261127000100-claimed-jobs',
  statements: ['alter table delivery_jobs add column claimed boolean not null default false'],
}
