import type { RenderedContent } from '@flowpost/domain'
import type { Queryable } from '../../../database/database.ts'
import { anyUuid } from '../../../database/query-hints.ts'
import type { Clock } from '../../../shared/clock.ts'
import { newUuid, type Uuid } from '../../../shared/ids.ts'
import { hasClaim, hasNoNewAttempt, toClaims } from '../queue/held-jobs.ts'
import { type Job, leaseMs } from '../queue/job.ts'
import { isOpen } from '../queue/queue.ts'

/** An attempt that this process has started, or an interrupted attempt whose outcome this process must decide. */
export interface StartedAttempt {
  readonly id: Uuid
  readonly notification_id: Uuid
  readonly user_id: string
  readonly project_id: Uuid
  readonly flow_id: Uuid
  readonly source_type: string
  readonly target: string
  readonly captured: boolean
  /** Whether the message was sent with a test key. If so, the outcome is simulated. */
  readonly test: boolean
  /** Whether the project has, or had, its own credential. If so, the deployment's credential must not be used. */
  readonly own_credential_only: boolean
  readonly attempt_count: number
  /**
   * The number of this attempt within the current retry budget, starting at 1. A requested retry begins a new budget.
   */
  readonly attempt_in_budget: number
  readonly attempt_id: Uuid
  /** The time since the start of the first attempt in the current retry budget, in milliseconds. */
  readonly elapsed_ms: number
  readonly created_at: string
  /**
   * When the delivery first became due. After a requested retry, this is when the delivery became due again. Latency is
   * measured from this time.
   */
  readonly ready_at: string
  /** When the delivery became due or when its previous attempt ended, whichever is later. */
  readonly waiting_since: string
  /** The rendered message; `null` if it is no longer stored. */
  readonly content: RenderedContent | null
  /**
   * Whether the attempt started before this claim and has no outcome yet. If `true`, nothing is sent; only the outcome is
   * recorded. There are two possible causes:
   * - The process that made the attempt ended or lost its lease.
   * - The recipient of a test message simulates a slow provider. During the simulated time, the job waited in the queue.
   */
  readonly is_interrupted: boolean
}

/** The result of starting attempts for claimed jobs. */
export interface StartResult {
  /** The attempts to make now, and interrupted attempts whose outcome must be decided. */
  readonly started: readonly StartedAttempt[]
  /**
   * Jobs to release and claim again: those whose delivery or notification is locked by another transaction, such as a
   * cancellation, and those whose notification has expired since the claim.
   */
  readonly busy: readonly Job[]
  /** Jobs whose delivery is completed, and jobs that have been claimed again or rescheduled since this claim. */
  readonly obsolete: readonly Job[]
}

/** The explanation that is recorded for an interrupted attempt. */
export const interruptedDetail = 'The process that made this attempt ended before it could record the outcome.'

/**
 * Returns an SQL condition that is true if a delivery must not be sent with the deployment's credential: the project has
 * its own credential for the provider, or had one that was deleted. The condition includes existing credentials, because the
 * project's credential may be deleted between this check and the sending. `alias` is the alias of the table `deliveries`.
 */
export const ownCredentialOnly = (alias: string): string => `(${alias}.credential_removed or (select true from integrations i
    where i.project_id = ${alias}.project_id and i.source_type = ${alias}.source_type) is true)`

const attemptColumns = `d.id, d.notification_id, d.user_id, d.project_id, d.flow_id, d.source_type, d.target, d.captured,
  d.test is true as test, ${ownCredentialOnly('d')} as own_credential_only, d.attempt_count, d.attempt_id,
  (extract(epoch from $4::timestamptz - d.first_attempt_at) * 1000)::float8 as elapsed_ms,
  d.created_at, coalesce(d.ready_at, d.created_at) as ready_at, case when d.attempt_count <= 1 then 1 else 1 + (select count(*)::int from attempts a
    where a.delivery_id = d.id and a.id <> d.attempt_id and a.started_at >= d.first_attempt_at) end as attempt_in_budget,
  case when d.attempt_count <= 1 then coalesce(d.ready_at, d.created_at) else greatest(coalesce(d.ready_at, d.created_at),
    (select max(a.started_at + coalesce(a.duration_ms, 0) * interval '1 millisecond') from attempts a
      where a.delivery_id = d.id and a.id <> d.attempt_id)) end as waiting_since`

// - The statement skips locked rows. It thus cannot be part of a deadlock, and a long cancellation does not delay other
//   deliveries.
// - It locks only `queued` notifications, because only the first attempt changes the notification.
// - `locked_deliveries` omits a delivery that has expired since the claim, unless the delivery is `sending`. The job of an
//   omitted delivery is returned as busy, and the next claim cancels the delivery.
// - In `interrupted`, `$6` is the maximum number of interrupted attempts. An attempt counts as interrupted if it has no
//   `duration_ms`, because only an attempt that was not interrupted gets a `duration_ms`.
// - `extended_leases` extends a lease if less than half of it is left, for example after slow queries.
// - `notified` selects `ctid`, which no index contains, to prevent an index-only scan. PostgreSQL might choose such a scan
//   while the table is small, and cache the plan. Once the table is large, each call with this plan would read the whole index
//   of statuses.
const start = {
  name: 'start-attempts',
  text: `with candidates as materialized (
      select d.id, d.notification_id from deliveries d where ${anyUuid('d.id', '$1')} and ${isOpen('d')} and ${hasClaim('d', '$5')}
    ), notified as materialized (
      select n.id, n.status, n.ctid from notifications n where n.id = any(array(select notification_id from candidates))
    ), locked_notifications as materialized (
      select n.id from notifications n where n.id = any(array(select id from notified where status = 'queued'))
      order by n.id for no key update skip locked
    ), locked_deliveries as materialized (
      select d.id, d.status = 'sending' as was_sending, d.cancel_requested, d.test, d.first_attempt_at from deliveries d
      where d.id = any(array(select id from candidates)) and ${isOpen('d')} and ${hasNoNewAttempt('d')}
        and (d.status = 'sending' or ((select j.expires_at from delivery_jobs j where j.delivery_id = d.id) <= now()) is not true)
        and (d.notification_id = any(array(select id from locked_notifications))
          or d.notification_id = any(array(select id from notified where status <> 'queued')))
      order by d.id for no key update skip locked
    ), interrupted as materialized (
      select id from locked_deliveries l where was_sending and (cancel_requested or test
        or (select j.expires_at from delivery_jobs j where j.delivery_id = l.id) <= now()
        or (select count(*) from attempts a where a.delivery_id = l.id and a.duration_ms is null and a.started_at >= l.first_attempt_at) > $6)
    ), started as (
      update deliveries d set status = 'sending', attempt_id = ($2::jsonb ->> d.id::text)::uuid, attempt_count = d.attempt_count + 1,
        first_attempt_at = coalesce(d.first_attempt_at, $4), next_attempt_at = null, captured = d.captured or $7
      where d.id = any(array(select id from locked_deliveries where id not in (select id from interrupted)))
      returning ${attemptColumns}, false as is_interrupted
    ), ended_attempts as (
      update attempts a set outcome = 'ambiguous', provider_response = $3
      where a.delivery_id = any(array(select id from locked_deliveries where was_sending)) and a.outcome = 'sending'
        and a.delivery_id not in (select id from interrupted)
    ), new_attempts as (
      insert into attempts (id, delivery_id, number, started_at, outcome)
      select attempt_id, id, attempt_count, $4, 'sending' from started
    ), extended_leases as (
      update delivery_jobs j set due_at = now() + interval '${leaseMs} milliseconds'
      where j.delivery_id = any(array(select id from started)) and j.claim = ($5::jsonb ->> j.delivery_id::text)::int
        and j.due_at < now() + interval '${leaseMs / 2} milliseconds'
    ), sending_notifications as (
      update notifications n set status = 'sending'
      where n.id = any(array(select notification_id from started)) and n.id = any(array(select id from locked_notifications))
    ), returned as materialized (
      select * from started union all
      select ${attemptColumns}, true from deliveries d where d.id = any(array(select id from interrupted))
    )
    select r.id as candidate, r.*, b.content from returned r left join lateral (
      select content from message_bodies where notification_id = r.notification_id and delivery_id = r.id limit 1
    ) b on true
    union all
    select c.id, r.*, null from candidates c left join returned r on false where c.id not in (select id from returned)`,
}

type Row = ({ readonly candidate: Uuid; readonly id: null } & Record<string, unknown>) | ({ readonly candidate: Uuid } & StartedAttempt)

const isStarted = (row: Row): row is { readonly candidate: Uuid } & StartedAttempt => row.id !== null

/**
 * Starts an attempt for each job's delivery, in one committed statement.
 *
 * If a delivery is already `sending`, its last attempt was interrupted: the process died or lost its lease. That
 * attempt ends as `ambiguous`, and a new attempt with a new `attempt_id` starts.
 *
 * In the following cases, no new attempt starts after an interruption. Instead, the interrupted attempt is returned with
 * `is_interrupted`, and the caller decides its outcome:
 *
 * - The attempt is simulated.
 * - The notification has expired.
 * - The flow or project was deleted.
 * - More than `maxInterruptions` attempts were interrupted since the first attempt or the last requested retry. The limit
 *   prevents endless attempts if the message crashes the process.
 *
 * With `capturesAll`, the deliveries of all new attempts become captured deliveries.
 */
export const startAttempts = async (
  on: Queryable,
  clock: Clock,
  jobs: readonly Job[],
  maxInterruptions: number,
  capturesAll = false,
): Promise<StartResult> => {
  if (jobs.length === 0) return { started: [], busy: [], obsolete: [] }
  const ids = jobs.map(({ deliveryId }) => deliveryId)
  const rows = await on.query<Row>(start, [
    ids,
    JSON.stringify(Object.fromEntries(ids.map((id) => [id, newUuid()]))),
    interruptedDetail,
    clock.now(),
    toClaims(jobs),
    maxInterruptions,
    capturesAll,
  ])
  const open = new Map(rows.map((row) => [row.candidate, row]))
  return {
    started: rows.filter(isStarted),
    busy: jobs.filter(({ deliveryId }) => open.get(deliveryId)?.id === null),
    obsolete: jobs.filter(({ deliveryId }) => !open.has(deliveryId)),
  }
}
