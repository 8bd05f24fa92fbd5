import { completedStatuses } from '@flowpost/domain'
import type { Queryable } from '../../database/database.ts'
import { anyUuid, inLiterals } from '../../database/query-hints.ts'
import type { StoredResponse } from '../../http/idempotency-key.ts'
import type { Uuid } from '../../shared/ids.ts'
import type { JobOrigin } from '../delivery/queue/job.ts'
import { insertJobsFrom } from '../delivery/queue/queue.ts'
import { insertDigestsFrom } from '../delivery/recipients/recipient-digests.ts'
import { suppressesAny } from '../delivery/suppressions/find-suppressed.ts'
import type { PreparedNotification } from './prepare-notification.ts'

/** A notification to store, with the response to store under its idempotency key. */
export interface StoreItem {
  readonly prepared: PreparedNotification
  /** The priority of the notification's jobs. */
  readonly priority: number
  readonly storedResponse?: StoredResponse | undefined
  readonly origin: JobOrigin
}

/**
 * The result of storing an item:
 * - `stored`: the notification, deliveries, messages, jobs and response were stored together;
 * - `settings_gone`: the plan is outdated, because the project or one of the flows was deleted, or a suppression was added;
 * - `project_locked`: another transaction holds a lock on the project, for example to delete one of its flows. The result is
 *   the same if another transaction has replaced the project's row since the statement began;
 * - `key_in_use`: the idempotency key belongs to another request, finished or in progress.
 */
export type StoreResult = 'stored' | 'settings_gone' | 'project_locked' | 'key_in_use'

// The `key share` locks prevent the projects from being deleted before the commit. Otherwise, the new rows could remain
// after their project is deleted. A project that another transaction has locked is skipped, so that the other items in the
// batch do not wait for it. Suppressions are checked again, because the deliveries were planned with cached settings, which
// may be outdated. For a project without suppressions, this check costs one index lookup.
//
// The statement sees the flows as they were when the statement began. If a flow is deleted after that and before the statement
// locks the project, the project must be skipped, because the statement still sees the deleted flow. The condition on `xmin`
// detects this case, because the deletion also writes a new version of the project's row (`replaceProjectRow`). PostgreSQL locks
// the new version and checks the condition again, with the new version as `p` and the old version as `seen`. Different
// transactions wrote the two versions, so `xmin` differs and the project is skipped.
const checks = `locked_projects as materialized (
    select id from projects p
    where ${anyUuid('id', '$1')} and xmin = (select seen.xmin from projects seen where seen.id = p.id)
    order by id for key share skip locked
  ), offered as materialized (
    select * from json_to_recordset($2::json) as r(id uuid, notification_id uuid, user_id text, project_id uuid, flow_id uuid,
      source_type text, target text, captured boolean, due_at timestamptz, content jsonb, created_at timestamptz, priority int,
      is_first boolean, has_key boolean, subject text, test boolean, reference text, metadata json, expires_at timestamptz,
      request_id text, trace_context text, identity uuid, status text, failure jsonb, digest uuid, notification_status text,
      named_flow_id uuid, has_target boolean)
  ), existing_projects as materialized (
    select id from projects where ${anyUuid('id', '$1')} and user_id = any(array(select user_id from offered))
  ), without_flow as materialized (
    select notification_id from offered
    where flow_id not in (
      select id from flows where id = any(array(select flow_id from offered)) and project_id = any(array(select project_id from offered))
    )
  ), suppressing as materialized (
    select id from locked_projects where ${suppressesAny('locked_projects.id')}
  ), unaware as materialized (
    select notification_id from offered o where o.project_id in (select id from suppressing) and (o.identity is null or o.failure is null
      and exists (select 1 from suppressions s where s.project_id = o.project_id and s.digest = o.identity and s.source_type in ('', o.source_type)))
  )`

const isLocked = 'project_id = any(array(select id from locked_projects))'
const isValid = `${isLocked} and notification_id not in (select notification_id from without_flow)
  and notification_id not in (select notification_id from unaware)`

// Inserts the items' idempotency keys. Skips a key whose advisory lock is held by another transaction, so that the statement
// does not wait for it. If two items have the same key, only the first item gets the key.
const keys = `offered_keys as materialized (
    select *, pg_try_advisory_xact_lock(lock) as is_free from (
      select distinct on (user_id, operation, key) * from json_to_recordset($3::json) as r(position int, notification_id uuid,
        project_id uuid, user_id text, operation text, key text, fingerprint text, lock bigint, status int, headers jsonb, body text,
        created_at timestamptz)
      order by user_id, operation, key, position
    ) item
  ), inserted_keys as (
    insert into idempotency_keys (user_id, operation, key, fingerprint, status, headers, body, created_at)
    select user_id, operation, key, decode(fingerprint, 'hex'), status, headers, body, created_at from offered_keys where is_free and ${isValid}
    on conflict (user_id, operation, key) do update set fingerprint = excluded.fingerprint, status = excluded.status,
      headers = excluded.headers, body = excluded.body, created_at = excluded.created_at
      where idempotency_keys.created_at <= $4
    returning user_id, operation, key
  )`

const holdsKey = `(not has_key or notification_id in (select notification_id from offered_keys join inserted_keys using (user_id, operation, key)))`

/**
 * Returns SQL that stores the items for which the SQL condition `isAccepted` is true. For each other item, the SQL
 * returns why it was not stored, as a {@link StoreResult}.
 * @param hasFailed whether some deliveries are stored as failed, because their recipients are suppressed.
 */
const storeIf = (isAccepted: string, hasFailed: boolean): string => `decided as materialized (
    select *, ${isAccepted} as is_accepted from offered
  ), new_notifications as (
    insert into notifications (id, user_id, project_id, status, test, reference, metadata, created_at, expires_at, named_flow_id,
      has_target${hasFailed ? ', settled_at' : ''})
    select notification_id, user_id, project_id, ${hasFailed ? `coalesce(notification_status, 'queued')` : `'queued'`}, test, reference,
      metadata, created_at, expires_at, named_flow_id, coalesce(has_target, false)${hasFailed ? `, case when ${inLiterals('notification_status', completedStatuses)} then created_at end` : ''}
    from decided where is_first and is_accepted
  ), new_deliveries as (
    insert into deliveries (id, notification_id, user_id, project_id, flow_id, source_type, target, status, captured, test,
      cancel_requested, attempt_count, next_attempt_at, ready_at, created_at${hasFailed ? ', failure, recipient_digest, settled_at' : ''})
    select id, notification_id, user_id, project_id, flow_id, source_type, target, ${hasFailed ? `coalesce(status, 'queued')` : `'queued'`},
      captured, test, false, 0, ${hasFailed ? 'case when failure is null then due_at end' : 'due_at'}, due_at, created_at${hasFailed ? ', failure, digest, case when failure is not null then created_at end' : ''}
    from decided where is_accepted
  ), new_bodies as (
    insert into message_bodies (notification_id, delivery_id, subject, content)
    select notification_id, id, subject, content from decided where is_accepted${hasFailed ? ' and content is not null' : ''}
  ), new_jobs as (
    ${insertJobsFrom(`decided where is_accepted${hasFailed ? ' and failure is null' : ''}`)}
  )${hasFailed ? `, indexed as (${insertDigestsFrom('decided where is_accepted and failure is not null')})` : ''}
  select notification_id, case
      when ${isValid} then 'key_in_use'
      when ${isLocked} or project_id <> all(array(select id from existing_projects)) then 'settings_gone'
      else 'project_locked'
    end as result
  from decided where is_first and not is_accepted`

const accept = (hasKeys: boolean, hasFailed: boolean) => ({
  name: `accept${hasKeys ? '-with-keys' : ''}${hasFailed ? '-suppressed' : ''}`,
  text: hasKeys
    ? `with ${checks}, ${keys}, ${storeIf(`${isValid} and ${holdsKey}`, hasFailed)}`
    : `with ${checks}, ${storeIf(isValid, hasFailed)}`,
})

const statements = {
  withoutKeys: { queued: accept(false, false), someFailed: accept(false, true) },
  withKeys: { queued: accept(true, false), someFailed: accept(true, true) },
} as const

// Returns a row for each delivery of a notification. There is always at least one row. The statement also inserts the
// notification from the first row.
const rowsOf = ({ prepared, priority, storedResponse, origin }: StoreItem) =>
  prepared.deliveries.map(({ id, flow_id, source_type, target, captured, content, identity, failure, digest }, position) => ({
    id,
    notification_id: prepared.notification.id,
    user_id: prepared.userId,
    project_id: prepared.projectId,
    flow_id,
    source_type,
    target,
    captured,
    // Omitted for live notifications, because their `test` column is null.
    ...(prepared.notification.test ? { test: true } : {}),
    due_at: prepared.at,
    content,
    created_at: prepared.notification.created_at,
    priority,
    is_first: position === 0,
    has_key: storedResponse !== undefined,
    subject: prepared.notification.subject,
    // `JSON.stringify` omits undefined fields, which keeps the statement's parameter small.
    expires_at: prepared.notification.expires_at ?? undefined,
    ...(position === 0 && {
      reference: prepared.notification.reference ?? undefined,
      metadata: prepared.notification.metadata ?? undefined,
      named_flow_id: prepared.namedFlowId,
      has_target: prepared.hasTarget || undefined,
    }),
    request_id: origin.requestId,
    trace_context: origin.traceContext ?? undefined,
    identity,
    ...(failure && { status: 'failed', failure, digest }),
    ...(position === 0 && prepared.notification.status !== 'queued' && { notification_status: prepared.notification.status }),
  }))

const keyRowOf = ({ prepared, storedResponse }: StoreItem, position: number) =>
  storedResponse && {
    position,
    notification_id: prepared.notification.id,
    project_id: prepared.projectId,
    user_id: storedResponse.id[0],
    operation: storedResponse.id[1],
    key: storedResponse.id[2],
    fingerprint: storedResponse.fingerprint.toString('hex'),
    lock: storedResponse.lock,
    status: storedResponse.status,
    headers: storedResponse.headers,
    body: storedResponse.body,
    created_at: storedResponse.createdAt,
  }

/**
 * Stores notifications in one statement. Each notification is stored completely or not at all.
 * @param oldest the cutoff: idempotency keys that were stored at or before this time have expired and can be used again.
 * @returns a result for each item.
 */
export const storeNotifications = async (on: Queryable, items: readonly StoreItem[], oldest: Date): Promise<StoreResult[]> => {
  const keyRows = items.flatMap((item, position) => keyRowOf(item, position) ?? [])
  const projectIds = [...new Set(items.map(({ prepared }) => prepared.projectId))]
  const values = [projectIds, JSON.stringify(items.flatMap(rowsOf))]
  const hasFailed = items.some(({ prepared }) => prepared.deliveries.some(({ failure }) => failure))
  const statement = statements[keyRows.length === 0 ? 'withoutKeys' : 'withKeys'][hasFailed ? 'someFailed' : 'queued']
  const rejected = await on.query<{ notification_id: Uuid; result: StoreResult }>(
    statement,
    keyRows.length === 0 ? values : [...values, JSON.stringify(keyRows), oldest],
  )
  const results = new Map(rejected.map(({ notification_id, result }) => [notification_id, result]))
  return items.map(({ prepared }) => results.get(prepared.notification.id) ?? 'stored')
}
