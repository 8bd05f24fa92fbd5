import { statusesBefore } from '@flowpost/domain'
import type { Queryable } from '../../database/database.ts'
import { isOneOf } from '../../database/query-hints.ts'
import type { Clock } from '../../shared/clock.ts'
import type { Uuid } from '../../shared/ids.ts'
import { aggregateNotifications } from './aggregate-status.ts'
import { isOpen } from './queue.ts'
import { lockNotifications } from './record-outcomes.ts'

/** The open deliveries of a project, or of one of its flows. */
export interface OpenDeliveries {
  readonly projectId: Uuid
  readonly flowId?: Uuid
}

/** What canceling uses. */
export interface CancelDeps {
  readonly clock: Clock
  /** Whether messages are stored beyond delivery. */
  readonly logContent: boolean
}

const isPending = (alias: string): string => isOneOf(`${alias}.status`, statusesBefore('canceled'))

/** Cancels the deliveries that a condition selects, removes their jobs, and their messages where those are not kept. */
const cancel = (condition: string): string => `with canceled as (
    update deliveries d set status = 'canceled', settled_at = $3, next_attempt_at = null, failure = null
    where ${condition} and ${isPending('d')} returning d.id, d.notification_id
  ), removed_jobs as (
    delete from delivery_jobs where delivery_id in (select id from canceled)
  ), removed_bodies as (
    delete from message_bodies b using canceled c
    where not $2::boolean and b.notification_id = c.notification_id and b.delivery_id = c.id
  )
  select distinct notification_id as id from canceled`

/** Cancels the pending deliveries of one notification, which the caller has locked. Returns whether there were any. */
export const cancelDeliveriesOf = async (on: Queryable, deps: CancelDeps, notificationId: Uuid): Promise<boolean> => {
  const changed = await on.query<{ id: Uuid }>(cancel('d.notification_id = $1'), [notificationId, deps.logContent, deps.clock.now()])
  if (changed.length > 0) await aggregateNotifications(on, deps.clock, [notificationId])
  return changed.length > 0
}

/**
 * Cancels the pending deliveries of a project or flow that is being deleted, in the caller's transaction. A delivery that is
 * being sent cannot be called back; it is only not retried.
 */
export const cancelPending = async (on: Queryable, deps: CancelDeps, which: OpenDeliveries): Promise<void> => {
  const open = await lockOpen(on, which)
  if (open.deliveryIds.length === 0) return
  const ids = [open.deliveryIds]
  await on.query(cancel('d.id = any($1::uuid[])'), [...ids, deps.logContent, deps.clock.now()])
  // Afterwards, because an attempt may start until the delivery is canceled; it cannot end before this transaction does.
  await on.query(`update deliveries set cancel_requested = true where id = any($1::uuid[]) and status = 'sending'`, ids)
  await aggregateNotifications(on, deps.clock, open.notificationIds)
}

/**
 * Marks the open deliveries of a project for which its own credential is being deleted, in the caller's transaction: they are
 * never sent through the deployment's credential instead. They fail at the next attempt, unless the project has a new
 * credential by then. The caller has locked the project, so nothing is accepted meanwhile.
 */
export const revokeCredential = async (on: Queryable, projectId: Uuid, sourceType: string): Promise<void> => {
  const { deliveryIds } = await lockOpen(on, { projectId })
  if (deliveryIds.length === 0) return
  await on.query(`update deliveries set credential_removed = true where id = any($1::uuid[]) and source_type = $2 and not captured`, [
    deliveryIds,
    sourceType,
  ])
}

interface Locked {
  readonly deliveryIds: readonly Uuid[]
  readonly notificationIds: readonly Uuid[]
}

/** Finds open deliveries by their jobs and locks their notifications, before anything else: see `recordOutcomes`. */
const lockOpen = async (on: Queryable, { projectId, flowId }: OpenDeliveries): Promise<Locked> => {
  const rows = await on.query<{ id: Uuid; notification_id: Uuid }>(
    `select d.id, d.notification_id from delivery_jobs j join deliveries d on d.id = j.delivery_id
     where j.project_id = $1 and ($2::uuid is null or d.flow_id = $2) and ${isOpen('d')}`,
    [projectId, flowId ?? null],
  )
  const notificationIds = [...new Set(rows.map(({ notification_id }) => notification_id))]
  if (rows.length > 0) await on.query(lockNotifications, [notificationIds])
  return { deliveryIds: rows.map(({ id }) => id), notificationIds }
}
