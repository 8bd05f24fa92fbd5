import { statusesBefore } from '@flowpost/domain'
import type { Queryable } from '../../database/database.ts'
import { inLiterals } from '../../database/query-hints.ts'
import type { Clock } from '../../shared/clock.ts'
import type { Uuid } from '../../shared/ids.ts'
import type { PendingChange } from '../projects/delete-project.ts'
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

const isPending = (alias: string): string => inLiterals(`${alias}.status`, statusesBefore('canceled'))

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
 * Cancels the pending deliveries of a project or flow that is being deleted. A delivery that is being sent cannot be called
 * back; it is only not retried.
 */
export const cancelPending = (deps: CancelDeps, which: OpenDeliveries): PendingChange =>
  inChunks(which, async (on, { deliveryIds, notificationIds }) => {
    const ids = [deliveryIds]
    await on.query(cancel('d.id = any($1::uuid[])'), [...ids, deps.logContent, deps.clock.now()])
    // Afterwards, because an attempt may start until the delivery is canceled; it cannot end before this transaction does.
    await on.query(`update deliveries set cancel_requested = true where id = any($1::uuid[]) and status = 'sending'`, ids)
    await aggregateNotifications(on, deps.clock, notificationIds)
  })

/**
 * Marks the open deliveries of a project for which its own credential is being deleted: they are never sent through the
 * deployment's credential instead. They fail at the next attempt, unless the project has a new credential by then.
 */
export const revokeCredential = (projectId: Uuid, sourceType: string): PendingChange =>
  inChunks({ projectId }, async (on, { deliveryIds }) => {
    const revoke = 'update deliveries set credential_removed = true where id = any($1::uuid[]) and source_type = $2 and not captured'
    await on.query(revoke, [deliveryIds, sourceType])
  })

interface Chunk {
  readonly deliveryIds: readonly Uuid[]
  readonly notificationIds: readonly Uuid[]
}

const chunkSize = 1_000

/** Changes open deliveries in chunks, each with its notifications locked before anything else: see `recordOutcomes`. */
const inChunks = (which: OpenDeliveries, change: (on: Queryable, chunk: Chunk) => Promise<void>): PendingChange => {
  const changeChunk = async (on: Queryable, open: readonly OpenRow[]): Promise<void> => {
    const notificationIds = [...new Set(open.map(({ notification_id }) => notification_id))]
    await on.query(lockNotifications, [notificationIds])
    await change(on, { deliveryIds: open.map(({ id }) => id), notificationIds })
  }
  return {
    ahead: async (database) => {
      const open = await findOpen(database, which)
      while (open.length > chunkSize) {
        const chunk = open.splice(-chunkSize)
        await database.transaction((transaction) => changeChunk(transaction, chunk))
      }
    },
    rest: async (transaction) => {
      const open = await findOpen(transaction, which)
      if (open.length > 0) await changeChunk(transaction, open)
    },
  }
}

interface OpenRow {
  readonly id: Uuid
  readonly notification_id: Uuid
}

/** Finds open deliveries by their jobs. */
const findOpen = (on: Queryable, { projectId, flowId }: OpenDeliveries): Promise<OpenRow[]> =>
  on.query<OpenRow & object>(
    `select d.id, d.notification_id from delivery_jobs j join deliveries d on d.id = j.delivery_id
     where j.project_id = $1 and ($2::uuid is null or d.flow_id = $2) and ${isOpen('d')} and not d.cancel_requested`,
    [projectId, flowId ?? null],
  )
