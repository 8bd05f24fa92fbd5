import { statusesBefore } from '@flowpost/domain'
import type { Queryable } from '../../../database/database.ts'
import { anyUuid, inLiterals } from '../../../database/query-hints.ts'
import { type DelayedJob, type Job, leaseMs } from './job.ts'

// The maximum number of jobs in one statement. PostgreSQL may search the whole array of ids for each job, so the duration of a
// statement grows with the square of the number of jobs. After a provider outage, up to 10,000 jobs are rescheduled at once.
const maxJobs = 100

// Renewals, releases and reschedules skip locked jobs, so they cannot be part of a deadlock.
//
// A released or rescheduled job becomes due at the end of its delay, or when its notification expires, if that is earlier. A
// worker then cancels the expired delivery. If another transaction has locked the notification, the worker releases the job
// instead. If the notification has already expired, the released job becomes due at the end of its delay. Otherwise, the job
// would be due at once, and the worker would claim and release it in a busy loop.
//
// The end of the delay is truncated to milliseconds for the same reason as in `insertJobsFrom`.
const heldJobs = `given as materialized (
      select * from jsonb_to_recordset($1::jsonb) as r(id uuid, claim int, delay_ms float8, deferrals int)
    ), held as materialized (
      select j.delivery_id, g.deferrals,
        least(date_trunc('milliseconds', now() + g.delay_ms * interval '1 millisecond'), case when j.expires_at > now() then j.expires_at end) as due_at
      from delivery_jobs j join given g on g.id = j.delivery_id and g.claim = j.claim
      where j.delivery_id = any(array(select id from given)) order by j.delivery_id for update of j skip locked
    )`

// With an array instead of a join, the planner uses the index even if its statistics are wrong; see `anyUuid`.
const isHeld = 'j.delivery_id = any(array(select delivery_id from held))'

const renew = {
  name: 'renew-leases',
  text: `with ${heldJobs} update delivery_jobs j set due_at = now() + interval '${leaseMs} milliseconds', leased = true
    from held where ${isHeld} and j.delivery_id = held.delivery_id`,
}

const release = {
  name: 'release-jobs',
  text: `with ${heldJobs} update delivery_jobs j set due_at = held.due_at, leased = false
    from held where ${isHeld} and j.delivery_id = held.delivery_id`,
}

const reschedule = {
  name: 'reschedule-jobs',
  text: `with ${heldJobs}, waiting as materialized (
      select d.id from deliveries d
      where d.id = any(array(select delivery_id from held)) and ${inLiterals('d.status', statusesBefore('sending'))}
      order by d.id for no key update skip locked
    ), shown as (
      update deliveries d set next_attempt_at = held.due_at
      from waiting, held where d.id = any(array(select id from waiting)) and d.id = waiting.id and d.id = held.delivery_id
    )
    update delivery_jobs j set due_at = held.due_at, leased = false, deferrals = held.deferrals
    from held where ${isHeld} and j.delivery_id = held.delivery_id`,
}

const complete = {
  name: 'complete-jobs',
  text: `delete from delivery_jobs j using jsonb_to_recordset($2::jsonb) as r(id uuid, claim int)
    where ${anyUuid('j.delivery_id', '$1')} and j.delivery_id = r.id and j.claim = r.claim`,
}

const inBatches = async <Item>(items: readonly Item[], run: (batch: readonly Item[]) => Promise<unknown>): Promise<void> => {
  for (let start = 0; start < items.length; start += maxJobs) await run(items.slice(start, start + maxJobs))
}

const toHeldJobs = (jobs: readonly DelayedJob[]): string =>
  JSON.stringify(jobs.map(({ job, delayMs, deferrals = 0 }) => ({ id: job.deliveryId, claim: job.claim, delay_ms: delayMs, deferrals })))

/**
 * Returns an SQL condition that is true if the delivery's job still has the expected claim. `alias` is the alias of the table
 * `deliveries`. `parameter` is the SQL parameter for the expected claims. Its value is a result of {@link toClaims}.
 */
export const hasClaim = (alias: string, parameter: `$${number}`): string =>
  `(select j.claim from delivery_jobs j where j.delivery_id = ${alias}.id) = (${parameter}::jsonb ->> ${alias}.id::text)::int`

/**
 * Returns an SQL condition for a statement that locks or changes deliveries. The condition is true if no attempt has started
 * since the statement began. `alias` is the alias of the table `deliveries`.
 *
 * {@link hasClaim} does not detect such an attempt. If another transaction has changed a delivery since the statement began,
 * PostgreSQL evaluates the conditions again with the delivery's new values, but subqueries still read the old rows. Therefore,
 * the subquery of `hasClaim` returns the old claim. The condition of this function compares the new number of attempts with
 * the old number, which its subquery returns.
 */
export const hasNoNewAttempt = (alias: string): string =>
  `${alias}.attempt_count = (select former.attempt_count from deliveries former where former.id = ${alias}.id)`

/** Returns the claims of jobs as JSON, keyed by delivery id. */
export const toClaims = (jobs: readonly Job[]): string =>
  JSON.stringify(Object.fromEntries(jobs.map(({ deliveryId, claim }) => [deliveryId, claim])))

/** Extends the leases of jobs. */
export const renewLeases = (on: Queryable, jobs: readonly Job[]): Promise<void> =>
  inBatches(jobs, (batch) => on.query(renew, [toHeldJobs(batch.map((job) => ({ job, delayMs: 0 })))]))

/** Ends the leases of jobs, which become due again after `delayMs` milliseconds. */
export const releaseJobs = (on: Queryable, jobs: readonly Job[], delayMs: number): Promise<void> =>
  inBatches(jobs, (batch) => on.query(release, [toHeldJobs(batch.map((job) => ({ job, delayMs })))]))

/**
 * Ends the leases of jobs, and makes each job due after its delay. Also sets `next_attempt_at` in the deliveries of these
 * jobs, except in deliveries that are already `sending`. The attempt of such a delivery was interrupted, or simulates a slow
 * provider.
 */
export const rescheduleJobs = (on: Queryable, delayed: readonly DelayedJob[]): Promise<void> =>
  inBatches(delayed, (batch) => on.query(reschedule, [toHeldJobs(batch)]))

/** Removes finished jobs. */
export const completeJobs = (on: Queryable, jobs: readonly Job[]): Promise<void> =>
  inBatches(jobs, (batch) => {
    const rows = batch.map(({ deliveryId, claim }) => ({ id: deliveryId, claim }))
    return on.query(complete, [rows.map(({ id }) => id), JSON.stringify(rows)])
  })
