import { setTimeout as sleep } from 'node:timers/promises'
import { openStatuses } from '@flowpost/domain'
import type { Logger } from 'pino'
import type { Database, Queryable } from '../../../database/database.ts'
import { inLiterals } from '../../../database/query-hints.ts'
import type { Uuid } from '../../../shared/ids.ts'
import { suppressesAny } from '../suppressions/find-suppressed.ts'
import { completeJobs, releaseJobs, renewLeases, rescheduleJobs } from './held-jobs.ts'
import { type DelayedJob, type Job, leaseMs, type NewJob } from './job.ts'

/** The number of jobs in the queue, by state. */
export interface QueueState {
  /** Jobs that can be claimed, including those with an expired lease. */
  readonly due: number
  /** Jobs that a worker holds. */
  readonly leased: number
  /** Jobs that wait for a retry, a rate limit or the recovery of a failing provider. */
  readonly waiting: number
  /** Jobs that have not become due yet. */
  readonly scheduled: number
  /** The time since the oldest due job became due, in seconds; 0 if no job is due. */
  readonly oldestDueSeconds: number
  /** The highest number of jobs, due plus waiting, that any single user has. */
  readonly maxUserDue: number
  /** The highest number of scheduled jobs that any single user has. */
  readonly maxUserScheduled: number
}

/** The users and projects whose jobs a claim skips. */
export interface Exclusions {
  readonly projectIds: readonly Uuid[]
  readonly userIds: readonly string[]
}

/** The number of jobs in one project, except those that a worker holds. */
export interface PendingCount {
  readonly userId: string
  readonly projectId: Uuid
  /** Jobs that are due now, plus jobs that wait for a retry, a rate limit or the recovery of a failing provider. */
  readonly due: number
  /** Jobs that have not become due yet. */
  readonly scheduled: number
}

/**
 * A durable queue with one row for each open delivery. A claim is a lease: it sets `due_at` to the end of the lease, so a
 * job that is not completed, rescheduled or renewed by then is claimed again. All times come from the database's clock.
 */
export interface Queue {
  start(): Promise<void>
  stop(): Promise<void>
  /** Adds jobs in the caller's transaction. Call {@link Queue.notify} after the transaction commits. */
  enqueue(on: Queryable, jobs: readonly NewJob[]): Promise<void>
  /** Claims at most `limit` due jobs in one committed statement. */
  claim(limit: number, exclude: Exclusions): Promise<Job[]>
  /** Extends the leases of jobs. */
  renew(jobs: readonly Job[]): Promise<void>
  /**
   * Ends the leases of jobs that must wait, and makes each job due after its delay. Also sets `next_attempt_at` in the
   * deliveries of these jobs, except in deliveries that are already `sending`. The attempt of such a delivery was
   * interrupted, or simulates a slow provider.
   */
  reschedule(delayed: readonly DelayedJob[]): Promise<void>
  /**
   * Ends the leases of jobs. The jobs become due again after `delayMs` milliseconds, by default at once. Their deliveries
   * do not change.
   */
  release(jobs: readonly Job[], delayMs?: number): Promise<void>
  /** Removes finished jobs. */
  complete(jobs: readonly Job[]): Promise<void>
  /** Notifies the workers in all processes that jobs were added. */
  notify(): void
  /** Calls the listener when any process may have added jobs. */
  onNotify(listener: () => void): void
  /** Counts each project's jobs, except those that a worker holds. Reads the whole table. */
  countPending(): Promise<PendingCount[]>
  /** Counts the jobs by state. Reads the whole table. */
  countByState(): Promise<QueueState>
}

/**
 * The lowest priority: the priority of bulk retries, and of new jobs in a project that has about a million pending jobs
 * or more.
 */
export const minPriority = -20

// Each NOTIFY costs a transaction. The first notification is sent at once; all notifications in the next 10 milliseconds are
// combined into one.
const betweenNotificationsMs = 10
const channel = 'flowpost_jobs'

const lease = `now() + interval '${leaseMs} milliseconds'`
const columns = `delivery_id as "deliveryId", user_id as "userId", project_id as "projectId", source_type as "sourceType", claim, deferrals,
  request_id as "requestId", trace_context as "traceContext", (extract(epoch from expires_at - now()) * 1000)::float8 as "expiresInMs"`

/**
 * Returns an SQL `insert` that adds a job for each row of a relation with the columns `id`, `user_id`, `project_id`,
 * `source_type`, `priority`, `due_at`, `expires_at`, `request_id` and `trace_context`. If `due_at` is null, the job is
 * due now. The current time is truncated to milliseconds, because PostgreSQL would round it. If it were rounded up, the
 * next claim would not find the job. The column `claim` starts at a random number, so that a worker that still
 * holds the delivery's previous job cannot change the new job.
 */
export const insertJobsFrom = (relation: string): string =>
  `insert into delivery_jobs (delivery_id, user_id, project_id, source_type, priority, due_at, expires_at, request_id, trace_context, claim)
   select id, user_id, project_id, source_type, priority, coalesce(due_at, date_trunc('milliseconds', now())), expires_at,
     request_id, trace_context, (random() * 1000000000)::int from ${relation}`

const enqueue = {
  name: 'enqueue',
  text: insertJobsFrom(`jsonb_to_recordset($1::jsonb)
     as r(id uuid, user_id text, project_id uuid, source_type text, priority int, due_at timestamptz, expires_at timestamptz,
       request_id text, trace_context text)`),
}

// For each priority, reads the due jobs from the index and stops at the limit, so the cost of a claim does not grow with the size
// of the queue. However, a claim also reads and skips the due jobs of the excluded users and projects.
const claim = {
  name: 'claim',
  text: `with claimed as materialized (
      select due.delivery_id, due.project_id from generate_series(0, ${minPriority}, -1) as level (priority) cross join lateral (
        select j.delivery_id, j.project_id from delivery_jobs j
        where j.priority = level.priority and j.due_at <= now() and j.project_id <> all($2::uuid[]) and j.user_id <> all($3::text[])
        order by j.due_at limit (select $1::int) for update skip locked
      ) as due limit (select $1::int)
    ), suppressing as materialized (
      select project_id from (select distinct project_id from claimed) project where ${suppressesAny('project.project_id')}
    )
    update delivery_jobs set due_at = ${lease}, leased = true, claimed = true, claim = claim + 1
    where delivery_id = any(array(select delivery_id from claimed))
    returning ${columns}, project_id in (select project_id from suppressing) as suppresses`,
}

// A job that has never been claimed counts as `scheduled` until its `due_at`. A job that was claimed before counts as `due`,
// even while it waits for its `due_at`, for example for a retry.
const pending = `select user_id as "userId", project_id as "projectId", (count(*) filter (where claimed or due_at <= now()))::int as due,
    (count(*) filter (where not claimed and due_at > now()))::int as scheduled
  from delivery_jobs where not leased group by 1, 2`

// Uses `coalesce`, because `sum`, `min` and `max` return null if the queue is empty.
const countByState = `with by_user as (
    select count(*) filter (where due_at <= now()) as due,
      count(*) filter (where due_at > now() and leased) as leased,
      count(*) filter (where due_at > now() and not leased and claimed) as waiting,
      count(*) filter (where due_at > now() and not leased and not claimed) as scheduled,
      min(due_at) as oldest
    from delivery_jobs group by user_id
  )
  select coalesce(sum(due), 0)::int as due, coalesce(sum(leased), 0)::int as leased, coalesce(sum(waiting), 0)::int as waiting,
    coalesce(sum(scheduled), 0)::int as scheduled,
    greatest(0, coalesce(extract(epoch from now() - min(oldest)), 0))::float8 as "oldestDueSeconds",
    coalesce(max(due + waiting), 0)::int as "maxUserDue", coalesce(max(scheduled), 0)::int as "maxUserScheduled"
  from by_user`

/** Creates the queue, which is stored in the table `delivery_jobs`. */
export const createQueue = (deps: { database: Database; log: Logger }): Queue => {
  const { database, log } = deps
  const listeners = new Set<() => void>()
  let stopListening: () => Promise<void> = async () => {}
  let notifying = false
  let notifyAgain = false

  const notifyLocally = (): void => {
    for (const listener of listeners) listener()
  }

  const notifyOthers = async (): Promise<void> => {
    if (notifying) {
      notifyAgain = true
      return
    }
    notifying = true
    do {
      notifyAgain = false
      const pause = sleep(betweenNotificationsMs, undefined, { ref: false })
      await database
        .notify(channel, '')
        .catch((error: unknown) => log.debug({ err: error }, 'Could not notify the workers; they will find the jobs by polling.'))
      await pause
    } while (notifyAgain)
    notifying = false
  }

  return {
    start: async () => {
      if (database.kind === 'postgres') stopListening = await database.listen(channel, notifyLocally, notifyLocally)
      // Only one process at a time uses an embedded database, so at startup all leases belong to processes that have ended.
      // The due times of retries do not change.
      else await database.query('update delivery_jobs set due_at = now(), leased = false where leased')
    },
    stop: () => stopListening(),
    enqueue: async (on, jobs) => {
      if (jobs.length === 0) return
      const rows = jobs.map(({ deliveryId, userId, projectId, sourceType, priority, dueAt, expiresAt, requestId, traceContext }) => ({
        id: deliveryId,
        user_id: userId,
        project_id: projectId,
        source_type: sourceType,
        priority,
        due_at: dueAt,
        expires_at: expiresAt,
        request_id: requestId,
        trace_context: traceContext,
      }))
      await on.query(enqueue, [JSON.stringify(rows)])
    },
    claim: (limit, { projectIds, userIds }) => database.query<Job & object>(claim, [limit, projectIds, userIds]),
    renew: (jobs) => renewLeases(database, jobs),
    reschedule: (delayed) => rescheduleJobs(database, delayed),
    release: (jobs, delayMs = 0) => releaseJobs(database, jobs, delayMs),
    complete: (jobs) => completeJobs(database, jobs),
    notify: () => {
      notifyLocally()
      if (database.kind === 'postgres') void notifyOthers()
    },
    onNotify: (listener) => void listeners.add(listener),
    countPending: () => database.query<PendingCount & object>(pending),
    countByState: async () => {
      const [row] = await database.query<QueueState & object>(countByState)
      return row ?? { due: 0, leased: 0, waiting: 0, scheduled: 0, oldestDueSeconds: 0, maxUserDue: 0, maxUserScheduled: 0 }
    },
  }
}

/** Returns an SQL condition that is true for an open delivery. `alias` is the alias of the table `deliveries`. */
export const isOpen = (alias: string): string => inLiterals(`${alias}.status`, openStatuses)
