import type { Migration } from '../migrate/migration.ts'

// Creates a job for each pending delivery in the table `deliveries`. The previous release stored its jobs in a table of pg-boss,
// from which only the priority is copied. A process of the previous release may still be sending a delivery, so the job of such
// a delivery gets a lease.
const moveJobs = `
do $$
begin
  insert into delivery_jobs (delivery_id, user_id, project_id, source_type, priority, due_at, leased)
  select id, user_id, project_id, source_type, 0,
    case when status = 'sending' then now() + interval '20 seconds' else coalesce(next_attempt_at, now()) end, status = 'sending'
  from deliveries where status in ('queued', 'sending', 'retrying');
  if to_regclass('flowpost_queue.job') is not null then
    execute 'update delivery_jobs d set priority = greatest(-20, least(0, j.priority)) from flowpost_queue.job j
      where j.data ->> ''key'' = d.delivery_id::text and j.state < ''completed''';
    drop schema flowpost_queue cascade;
  end if;
end
$$`

/**
 * Replaces the pg-boss queue with a table: docs/decisions/0016-own-queue.md. Also drops the partial index on pending
 * deliveries. No index then contains a delivery's status, so a status change is a heap-only update if the page that contains
 * the delivery's row has free space.
 */
export const deliveryJobs: Migration = {
  name: '20261122000100-delivery-jobs',
  // Processes of earlier releases need the pg-boss queue, which no longer exists.
  requires: '20261122000100-delivery-jobs',
  statements: [
    'set local statement_timeout = 0',
    'lock table deliveries in access exclusive mode',
    `create table delivery_jobs (
         delivery_id uuid not null,
         user_id text not null,
         project_id uuid not null,
         source_type text not null,
         priority int not null default 0,
         due_at timestamptz(3) not null,
         leased boolean not null default false,
         claim int not null default 0,
         deferrals int not null default 0,
         primary key (delivery_id)
       )`,
    moveJobs,
    'create index delivery_jobs_priority_due_at_index on delivery_jobs (priority, due_at)',
    'create index delivery_jobs_project_id_index on delivery_jobs (project_id)',
    // Every job leaves several dead rows within seconds. Each claim of jobs must skip these rows until they are vacuumed.
    `alter table delivery_jobs set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000,
         autovacuum_vacuum_cost_delay = 0, autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 5000)`,
    'drop index deliveries_open_project_id_index',
    'alter table deliveries set (fillfactor = 70)',
    'alter table contents rename to message_bodies',
    'alter index contents_pkey rename to message_bodies_pkey',
  ],
}
