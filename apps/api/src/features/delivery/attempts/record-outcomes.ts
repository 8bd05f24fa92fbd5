import { expiredFailure, type Failure } from '@flowpost/domain'
import type { Database, Queryable, Transaction } from '../../../database/database.ts'
import { anyUuid } from '../../../database/query-hints.ts'
import { hasEventEndpoint, type RecordEvents } from '../../../shared/event-facts.ts'
import type { Uuid } from '../../../shared/ids.ts'
import type { SpanIds } from '../../../shared/tracing.ts'
import { recordFlowHealth } from '../../flows/flow-health.ts'
import { type ChangedDelivery, factsOf } from '../completion-facts.ts'
import { completionChannel } from '../completion-watch.ts'
import { storeSimulatedReceipts } from '../receipts/simulated-receipts.ts'
import { insertDigestsFrom } from '../recipients/recipient-digests.ts'
import type { Recipients } from '../recipients/recipients.ts'
import { aggregatedFrom, updateNotifications } from './aggregate-status.ts'
import { type Outcome, outcomeName } from './send.ts'
import type { StartedAttempt } from './start-attempts.ts'
import { type CaptureDeps, storeCapturedMessages } from './store-captured.ts'

/** Fields for log lines about an attempt: the id of the request that queued the delivery, and the ids of the attempt's span. */
export interface LogFields extends Partial<SpanIds> {
  readonly request_id?: string
}

/** A finished attempt whose outcome is to be recorded. */
export interface FinishedAttempt {
  readonly attempt: StartedAttempt
  /** The duration of the attempt in milliseconds; `null` if it is unknown because the attempt was interrupted. */
  readonly durationMs: number | null
  readonly outcome: Outcome
  /**
   * Whether the outcome is `retrying`, but the notification expires before the retry. If so, the delivery becomes `canceled`.
   * @default false
   */
  readonly expires?: boolean
  /** The fields to add to log lines about the attempt. */
  readonly logFields?: LogFields
}

/** An attempt whose outcome has been recorded. */
export interface RecordedAttempt extends FinishedAttempt {
  /**
   * The delivery's new status. It is the outcome's status, with one exception: `retrying` becomes `canceled` if the flow or
   * project was deleted, or if the notification expires before the retry.
   */
  readonly status: string
}

/** The dependencies of {@link recordOutcomes}. */
export interface RecordDeps extends CaptureDeps {
  readonly database: Database
  /** Whether messages remain stored after their deliveries are completed. */
  readonly logContent: boolean
  readonly recipients: Recipients
  readonly recordEvents: RecordEvents
}

/** The result of {@link recordOutcomes}. An attempt that is in neither list is no longer its delivery's current attempt. */
export interface RecordResult {
  readonly recorded: readonly RecordedAttempt[]
  /** Attempts whose notification is locked by another transaction. The caller must try to record them again. */
  readonly busy: readonly FinishedAttempt[]
}

/**
 * The maximum number of outcomes in one transaction. The ids of this many notifications fit into one NOTIFY payload, which
 * must be shorter than 8,000 bytes.
 */
export const maxOutcomes = 100

/**
 * Records the outcomes of attempts in one transaction. It updates each attempt, the delivery and the notification's
 * status, and removes or reschedules the job. Only a delivery's current attempt can change the delivery, so a worker
 * whose lease expired cannot overwrite a later outcome.
 *
 * Lock order, here and in every transaction that changes deliveries: the project, then notifications in the order of
 * their ids, then deliveries, jobs and finally flows. Claiming jobs, starting attempts and recording outcomes all skip
 * locked rows, so a long cancellation does not delay other messages.
 */
export const recordOutcomes = (deps: RecordDeps, finished: readonly FinishedAttempt[]): Promise<RecordResult> =>
  deps.database.transaction(async (transaction) => {
    const lockedByOthers = await lockAvailable(transaction, new Set(finished.map(({ attempt }) => attempt.notification_id)))
    const { busy = [], available = [] } = Object.groupBy(finished, ({ attempt }) =>
      lockedByOthers.has(attempt.notification_id) ? 'busy' : 'available',
    )
    if (available.length === 0) return { recorded: [], busy }
    const rows = await record(transaction, deps, available)
    const recorded = withStatuses(available, rows)
    await storeCapturedMessages(transaction, deps, recorded)
    const receipts = await storeSimulatedReceipts(transaction, deps.clock, recorded)
    const changedFlows = await recordFlowHealth(transaction, deps.clock, recorded)
    const completed = new Set(rows.flatMap(({ notification_id, is_completed }) => (is_completed ? [notification_id] : [])))
    const facts = [...factsOf(rows, completed), ...receipts, ...changedFlows]
    if (facts.length > 0) await deps.recordEvents(transaction, facts)
    return { recorded, busy }
  })

const byIds = `from notifications where ${anyUuid('id', '$1')}`

/** A statement that locks notifications in the order of their ids. */
export const lockNotifications = { name: 'lock-notifications', text: `select id ${byIds} order by id for no key update` }

/**
 * A statement that locks the given notifications except those that another transaction has locked. It returns the ids
 * of the notifications that it locked.
 */
export const lockUnlockedNotifications = {
  name: 'lock-unlocked-notifications',
  text: `${lockNotifications.text} skip locked`,
}

/**
 * Locks each of the given notifications unless another transaction has locked it. Returns the ids of the notifications
 * that could not be locked.
 */
const lockAvailable = async (on: Queryable, ids: ReadonlySet<Uuid>): Promise<ReadonlySet<Uuid>> => {
  const locked = new Set((await on.query<{ id: Uuid }>(lockUnlockedNotifications, [[...ids]])).map(({ id }) => id))
  if (locked.size === ids.size) return new Set()
  const rows = await on.query<{ id: Uuid }>(`select id, created_at ${byIds}`, [[...ids].filter((id) => !locked.has(id))])
  return new Set(rows.map(({ id }) => id))
}

const recording = {
  name: 'record-outcomes',
  text: `with finished as materialized (
      select * from jsonb_to_recordset($2::jsonb) as r(id uuid, attempt_id uuid, status text, failure jsonb, delay_ms float8,
        provider_message_id text, duration_ms int, outcome text, provider_response text, expires boolean, digest uuid)
    ), recorded as (
      update deliveries d set
        status = case when f.status = 'retrying' and (d.cancel_requested or f.expires) then 'canceled' else f.status end,
        failure = f.failure,
        next_attempt_at = case when not d.cancel_requested then now() + f.delay_ms * interval '1 millisecond' end,
        provider_message_id = coalesce(f.provider_message_id, d.provider_message_id),
        sent_at = case when f.status = 'sent' then $4::timestamptz end,
        settled_at = case when f.status <> 'retrying' or d.cancel_requested or f.expires then $4::timestamptz end,
        recipient_digest = coalesce(d.recipient_digest, f.digest)
      from finished f
      where ${anyUuid('d.id', '$1')} and d.id = f.id and d.attempt_id = f.attempt_id and d.status = 'sending'
      returning d.id, d.notification_id, d.project_id, d.attempt_id, d.status, d.next_attempt_at, d.failure, d.recipient_digest as digest
    ), updated_attempts as (
      update attempts a set duration_ms = f.duration_ms, outcome = f.outcome, provider_response = f.provider_response
      from recorded r join finished f on f.attempt_id = r.attempt_id
      where a.id = any(array(select attempt_id from recorded)) and a.id = r.attempt_id
    ), indexed as (
      ${insertDigestsFrom(`recorded where status <> 'retrying'`)}
    ), rescheduled_jobs as (
      update delivery_jobs j set due_at = r.next_attempt_at, leased = false, deferrals = 0, claim = j.claim + 1
      from recorded r
      where j.delivery_id = any(array(select id from recorded)) and j.delivery_id = r.id and r.status = 'retrying'
    ), removed_jobs as (
      delete from delivery_jobs j using recorded r
      where j.delivery_id = any(array(select id from recorded)) and j.delivery_id = r.id and r.status <> 'retrying'
    ), removed_bodies as (
      delete from message_bodies b using recorded r
      where not $3::boolean and b.notification_id = any(array(select notification_id from recorded))
        and b.notification_id = r.notification_id and b.delivery_id = r.id and r.status <> 'retrying'
    ), siblings as materialized (
      select id, notification_id, status from deliveries where notification_id = any(array(select notification_id from recorded))
    ), aggregated as materialized (
      select s.notification_id as id, ${aggregatedFrom('coalesce(r.status, s.status)')} as status
      from siblings s left join recorded r on r.id = s.id group by s.notification_id
    ), completed_notifications as (
      ${updateNotifications('aggregated', '$4')}
    ), published as materialized (
      select pg_notify('${completionChannel}', string_agg(id::text, ',')) from completed_notifications where id is not null having count(*) > 0
    ), with_events as materialized (
      select project_id from (select distinct project_id from recorded) project where ${hasEventEndpoint('project.project_id')}
    )
    select id, attempt_id, notification_id, project_id, status, project_id in (select project_id from with_events) as has_events,
      project_id in (select project_id from with_events) and notification_id in (select id from completed_notifications where id is not null) as is_completed,
      (select count(*) from published)
    from recorded`,
}

/** Returns the failure that is stored with a delivery; `null` if the message was sent. */
export const failureOf = (outcome: Outcome, expires = false): Failure | null => {
  if (outcome.status === 'sent') return null
  return outcome.status === 'retrying' && expires ? expiredFailure : outcome.failure
}

// Finds the outcomes that a failed call of `recordOutcomes` nevertheless recorded. Excludes attempts without a duration, because
// another process may have taken over their deliveries and recorded the attempts as interrupted.
const findRecorded = {
  name: 'find-recorded-outcomes',
  text: `select d.attempt_id, d.status from deliveries d join attempts a on a.id = d.attempt_id
    where ${anyUuid('d.id', '$1')} and ${anyUuid('a.id', '$2')} and d.status <> 'sending' and a.duration_ms is not null`,
}

/**
 * Repeats {@link recordOutcomes} after a call that failed. The failed call may nevertheless have recorded outcomes, if
 * its connection was lost during the commit or the synchronous standby did not confirm the commit.
 */
export const recordOutcomesAgain = async (deps: RecordDeps, finished: readonly FinishedAttempt[]): Promise<RecordResult> => {
  const { recorded, busy } = await recordOutcomes(deps, finished)
  const decided = new Set([...recorded, ...busy].map(({ attempt }) => attempt.attempt_id))
  const others = finished.filter(({ attempt }) => !decided.has(attempt.attempt_id))
  if (others.length === 0) return { recorded, busy }
  const ids = [others.map(({ attempt }) => attempt.id), others.map(({ attempt }) => attempt.attempt_id)]
  const found = await deps.database.query<StatusRow>(findRecorded, ids)
  await deps.database.awaitReplication()
  return { recorded: [...recorded, ...withStatuses(others, found)], busy }
}

interface StatusRow {
  readonly attempt_id: Uuid
  readonly status: string
}

interface RecordedRow extends StatusRow, ChangedDelivery {
  /**
   * Whether recording the outcomes completed the notification. Always `false` if the project has no active event
   * endpoint, because this field is needed only for events.
   */
  readonly is_completed: boolean
}

/** Combines attempts with the statuses in `rows`. Omits attempts without a row. */
const withStatuses = (finished: readonly FinishedAttempt[], rows: readonly StatusRow[]): RecordedAttempt[] => {
  const statuses = new Map(rows.map(({ attempt_id, status }) => [attempt_id, status]))
  return finished.flatMap((attempt) => {
    const status = statuses.get(attempt.attempt.attempt_id)
    return status === undefined ? [] : [{ ...attempt, status }]
  })
}

/**
 * Records the outcomes of the attempts that are still current. Returns a row for each of them, with the delivery's new
 * status.
 */
const record = async (
  transaction: Transaction,
  { clock, logContent, recipients }: RecordDeps,
  finished: readonly FinishedAttempt[],
): Promise<RecordedRow[]> => {
  const rows = finished.map(({ attempt, durationMs, outcome, expires }) => ({
    id: attempt.id,
    attempt_id: attempt.attempt_id,
    status: outcome.status,
    failure: failureOf(outcome, expires),
    delay_ms: outcome.status === 'retrying' && !expires ? outcome.delayMs : null,
    provider_message_id: outcome.status === 'sent' ? outcome.providerMessageId : null,
    duration_ms: durationMs,
    outcome: outcomeName(outcome),
    provider_response: outcome.response,
    expires: expires || undefined,
    digest: recipients.digestOf(attempt),
  }))
  const values = [rows.map(({ id }) => id), JSON.stringify(rows), logContent, clock.now()]
  return transaction.query<RecordedRow & object>(recording, values)
}
