import type { Migration } from '../migrate/migration.ts'

/**
 * Adds a mark on jobs that a worker has claimed, so that the queue limit can tell a job that waits for a retry, a rate limit
 * or a failing provider from a scheduled one. Workers of earlier releases do not set the mark, so their waiting jobs count as
 * scheduled, as before.
 */
export const claimedJobs: Migration = {
  name: '20261127000100-claimed-jobs',
  statements: ['alter table delivery_jobs add column claimed boolean not null default false'],
}
