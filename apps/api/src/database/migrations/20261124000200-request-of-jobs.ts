import type { Migration } from '../migrate/migration.ts'

/**
 * Adds columns that identify the request that queued a delivery, for logs and traces: docs/decisions/0023-tracing.md. A
 * job is deleted when its delivery is completed, so the columns take space only until then.
 */
export const requestOfJobs: Migration = {
  name: '20261124000200-request-of-jobs',
  statements: ['alter table delivery_jobs add column request_id text, add column trace_context text'],
}
