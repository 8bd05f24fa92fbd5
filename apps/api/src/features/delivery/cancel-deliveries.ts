import { expiredFailure, type Failure, statusesBefore } from '@flowpost/domain'
import type { Database, Queryable } from '../../database/database.ts'
import { anyUuid, inLiterals } from '../../database/query-hints.ts'
import type { Clock } from '../../shared/clock.ts'
import { hasEventEndpoint, type RecordEvents } from '../../shared/event-facts.ts'
import type { Uuid } from '../../shared/ids.ts'
import type { PendingChange } from '../projects/delete-with-pending-change.ts'
import { aggregateNotifications } from './attempts/aggregate-status.ts'
import { lockNotifications, lockUnlockedNotifications } from './attempts/record-outcomes.ts'
import { type ChangedDelivery, factsOf } from './completion-facts.ts'
import { isOpen } from './queue/queue.ts'
import { type CompletedDelivery, storeDigests } from './recipients/recipient-digests.ts'
import type { Recipients } from './recipients/recipients.ts'

/** The deliveries to change: those in a project, or in some of the project's flows. */
export interface PendingScope {
  readonly projectId: Uuid
  readonly flowIds?: readonly Uuid[]
}

/** The dependencies of the functions that cancel deliveries. */
export interface CancelDeps {
  readonly clock: Clock
  /** Whether messages remain stored after their deliveries are completed. */
  readonly logContent: boolean
  readonly recipients: Recipients
  readonly recordEvents: RecordEvents
}

const isPending = inLiterals('d.status', statusesBefore('canceled'))

/**
 * Returns an SQL statement that cancels the pending deliveries matching `condition`, and sets their failure to `$4`.
 * The statement also removes their jobs and, unless `$2` (`logContent`) is true, their messages.
 */
const cancel = (condition: string): string => `with canceled as (
    update deliveries d set status = 'canceled', settled_at = $3, next_attempt_at = null, failure = $4::jsonb
    where ${condition} and ${isPending}
    returning d.id, d.notification_id, d.project_id, d.user_id, d.source_type, d.target, d.status
  ), removed_jobs as (
    delete from delivery_jobs where delivery_id in (select id from canceled)
  ), removed_bodies as (
    delete from message_bodies b using canceled c
    where not $2::boolean and b.notification_id = c.notification_id and b.delivery_id = c.id
  )
  select c.*, ${hasEventEndpoint('c.project_id')} as has_events from canceled c`

/**
 * Cancels a notification's pending deliveries. The caller must have locked the notification. Returns whether there were
 * any pending deliveries.
 */
export const cancelDeliveriesOf = async (on: Queryable, deps: CancelDeps, notificationId: Uuid): Promise<boolean> => {
  const canceled = await runCancel(on, deps, 'd.notification_id = $1', notificationId)
  if (canceled.length > 0) await completeNotifications(on, deps, canceled, [notificationId])
  return canceled.length > 0
}

/**
 * Cancels the pending deliveries among the given ones. The caller must have locked their notifications. Returns the ids of
 * the canceled deliveries.
 */
export const cancelDeliveries = async (on: Queryable, deps: CancelDeps, deliveryIds: readonly Uuid[]): Promise<Uuid[]> => {
  const canceled = await runCancel(on, deps, 'd.id = any($1::uuid[])', deliveryIds)
  await completeNotifications(on, deps, canceled, notificationIdsOf(canceled))
  return canceled.map(({ id }) => id)
}

const notificationIdsOf = (deliveries: readonly { readonly notification_id: Uuid }[]): Uuid[] => [
  ...new Set(deliveries.map(({ notification_id }) => notification_id)),
]

interface CanceledDelivery extends CompletedDelivery, ChangedDelivery {}

/** Updates the notifications' statuses, and stores events for the canceled deliveries and the completed notifications. */
const completeNotifications = async (
  on: Queryable,
  { clock, recordEvents }: CancelDeps,
  canceled: readonly CanceledDelivery[],
  notificationIds: readonly Uuid[],
): Promise<void> => {
  const completed = await aggregateNotifications(on, clock, notificationIds)
  const facts = factsOf(canceled, completed)
  if (facts.length > 0) await recordEvents(on, facts)
}

const runCancel = async (
  on: Queryable,
  { clock, logContent, recipients }: CancelDeps,
  condition: string,
  value: Uuid | readonly Uuid[],
  failure: Failure | null = null,
): Promise<readonly CanceledDelivery[]> => {
  const values = [value, logContent, clock.now(), failure === null ? null : JSON.stringify(failure)]
  const canceled = await on.query<CanceledDelivery & object>(cancel(condition), values)
  await storeDigests(on, recipients, canceled, failure)
  return canceled
}

// The claim read the expiry in an earlier transaction, so the cancellation checks it again.
const isExpired = '(select j.expires_at from delivery_jobs j where j.delivery_id = d.id) <= now()'

/** The result of {@link cancelExpired}. */
export interface ExpiredDeliveries {
  /** The notification id of each canceled delivery, keyed by delivery id. */
  readonly canceled: ReadonlyMap<Uuid, Uuid>
  /** Deliveries whose attempt was interrupted. They cannot be canceled until the outcome of that attempt is decided. */
  readonly interrupted: ReadonlySet<Uuid>
}

/**
 * Cancels the given deliveries that are pending and whose notification has expired. Skips a delivery whose notification
 * is locked; the caller must try that delivery again.
 */
export const cancelExpired = (database: Database, deps: CancelDeps, deliveryIds: readonly Uuid[]): Promise<ExpiredDeliveries> =>
  database.transaction(async (transaction) => {
    const open = await transaction.query<OpenRow & { status: string }>(
      `select id, notification_id, status from deliveries d where ${anyUuid('id', '$1')} and ${isOpen('d')}`,
      [deliveryIds],
    )
    const notificationIds = notificationIdsOf(open)
    const locked = await transaction.query<{ id: Uuid }>(lockUnlockedNotifications, [notificationIds])
    const available = new Set(locked.map(({ id }) => id))
    const ids = open.flatMap(({ id, notification_id }) => (available.has(notification_id) ? [id] : []))
    const canceled = await runCancel(transaction, deps, `d.id = any($1::uuid[]) and ${isExpired}`, ids, expiredFailure)
    await completeNotifications(transaction, deps, canceled, notificationIdsOf(canceled))
    return {
      canceled: new Map(canceled.map(({ id, notification_id }) => [id, notification_id])),
      interrupted: new Set(open.flatMap(({ id, status }) => (status === 'sending' ? [id] : []))),
    }
  })

/**
 * Returns the change to make when a project or some of its flows are deleted. The change cancels their pending
 * deliveries. A message that is already being sent cannot be recalled, but it is not retried.
 */
export const cancelPending = (deps: CancelDeps, scope: PendingScope): PendingChange =>
  inChunks({ scope, isUnchanged: 'not d.cancel_requested' }, async (on, { deliveryIds, notificationIds }) => {
    const canceled = await runCancel(on, deps, 'd.id = any($1::uuid[])', deliveryIds)
    // A delivery whose attempt has already started is `sending` and was not canceled. Mark it, so that it is not retried. Its
    // status cannot change before this statement runs, because recording an outcome requires the lock on the notification,
    // which this transaction holds.
    await on.query(`update deliveries set cancel_requested = true where id = any($1::uuid[]) and status = 'sending'`, [deliveryIds])
    await completeNotifications(on, deps, canceled, notificationIds)
    return notificationIdsOf(canceled)
  })

/**
 * Returns the change to make when a project's credential for a provider is deleted. It marks the project's open deliveries
 * through that provider. A marked delivery never falls back to the deployment's credential: its next attempt fails, unless
 * the project has a new credential by then. Captured deliveries are not marked: they are never sent and need no credential.
 */
export const revokeCredential = (projectId: Uuid, sourceType: string): PendingChange => {
  const isUnchanged = 'not d.captured and not d.credential_removed'
  return inChunks({ scope: { projectId }, sourceType, isUnchanged }, async (on, { deliveryIds }) => {
    await on.query('update deliveries set credential_removed = true where id = any($1::uuid[])', [deliveryIds])
    return []
  })
}

/** Counts the pending deliveries of each given flow in a project. The result is keyed by flow id. */
export const countPendingOf = async (on: Queryable, projectId: Uuid, flowIds: readonly Uuid[]): Promise<ReadonlyMap<Uuid, number>> => {
  const rows = await on.query<{ flow_id: Uuid; count: number }>(
    `select d.flow_id, count(*)::int as count from delivery_jobs j join deliveries d on d.id = j.delivery_id
     where j.project_id = $1 and d.flow_id = any($2::uuid[]) and ${isPending} group by d.flow_id`,
    [projectId, flowIds],
  )
  return new Map(rows.map(({ flow_id, count }) => [flow_id, count]))
}

interface Selection {
  readonly scope: PendingScope
  readonly sourceType?: string
  /** An SQL condition that is true while this change has not yet been applied to the delivery `d`. */
  readonly isUnchanged: string
}

interface Chunk {
  readonly deliveryIds: readonly Uuid[]
  readonly notificationIds: readonly Uuid[]
}

const chunkSize = 1_000

// Writes a new version of the project's row with the same values. Another transaction's statement that stores notifications may
// have begun before this transaction locked the project. That statement still sees the deleted flows. It stores nothing in the
// project, because it detects the new version of the row; see `store-notifications.ts`. The project must already be locked
// `for update`. With a weaker lock, that statement could lock the old version and store notifications for the deleted flows.
const replaceProjectRow = 'update projects set name = name where id = $1'

/**
 * Returns a {@link PendingChange} that passes the selected open deliveries to `change`, one chunk at a time. Before each
 * call, it locks the chunk's notifications; see the lock order in `recordOutcomes`. `change` returns the ids of the
 * notifications whose deliveries it canceled.
 */
const inChunks = (selection: Selection, change: (on: Queryable, chunk: Chunk) => Promise<readonly Uuid[]>): PendingChange => {
  const changeChunk = async (on: Queryable, open: readonly OpenRow[]): Promise<readonly Uuid[]> => {
    const notificationIds = notificationIdsOf(open)
    await on.query(lockNotifications, [notificationIds])
    return change(on, { deliveryIds: open.map(({ id }) => id), notificationIds })
  }
  return {
    ahead: async (database, onCanceled) => {
      const open = await findOpen(database, selection)
      while (open.length > chunkSize) {
        const chunk = open.splice(-chunkSize)
        onCanceled(await database.transaction((transaction) => changeChunk(transaction, chunk)))
      }
    },
    rest: async (transaction) => {
      await transaction.query(replaceProjectRow, [selection.scope.projectId])
      const open = await findOpen(transaction, selection)
      return open.length > 0 ? changeChunk(transaction, open) : []
    },
  }
}

interface OpenRow {
  readonly id: Uuid
  readonly notification_id: Uuid
}

/** Finds a scope's open deliveries through their jobs. Every open delivery has exactly one job. */
const findOpen = (on: Queryable, { scope, sourceType, isUnchanged }: Selection): Promise<OpenRow[]> =>
  on.query<OpenRow & object>(
    `select d.id, d.notification_id from delivery_jobs j join deliveries d on d.id = j.delivery_id
     where j.project_id = $1 and ($2::uuid[] is null or d.flow_id = any($2)) and ($3::text is null or d.source_type = $3)
       and ${isOpen('d')} and ${isUnchanged}`,
    [scope.projectId, scope.flowIds ?? null, sourceType ?? null],
  )
