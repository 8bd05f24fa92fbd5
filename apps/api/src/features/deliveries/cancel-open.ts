import type { Queryable, Transaction } from '../../database/database.ts'
import type { Clock } from '../../shared/clock.ts'
import type { Uuid } from '../../shared/ids.ts'
import { type DeliveryKey, removeContents } from './contents.ts'
import { rollUpNotifications } from './roll-up.ts'

/** Which deliveries to cancel: those of a project or of a flow. */
export type OpenDeliveries = { readonly projectId: Uuid } | { readonly flowId: Uuid }

/** What canceling needs. */
export interface CancelDeps {
  readonly clock: Clock
  /** Whether messages are kept beyond delivery. */
  readonly logContent: boolean
}

/**
 * Cancels what is queued or waiting to be retried, in the caller's transaction. What is being sent
 * right now cannot be called back; it is only not tried again. The jobs that are left behind find
 * nothing to do.
 */
export const cancelOpen = async (transaction: Transaction, deps: CancelDeps, which: OpenDeliveries): Promise<void> => {
  const [column, id] = 'projectId' in which ? ['project_id', which.projectId] : ['flow_id', which.flowId]
  const open = `${column} = $1 and status in ('queued', 'sending', 'retrying')`
  const notifications = await lockNotifications(transaction, open, id)
  if (notifications.length === 0) return
  const changed = await transaction.query<DeliveryKey & { status: string }>(
    `update deliveries set
       status = case when status = 'sending' then status else 'canceled' end,
       settled_at = case when status = 'sending' then settled_at else $2 end,
       next_attempt_at = null, failure = null, cancel_requested = true
     where ${open} returning id, notification_id, status`,
    [id, deps.clock.now()],
  )
  if (!deps.logContent)
    await removeContents(
      transaction,
      changed.filter(({ status }) => status === 'canceled'),
    )
  await rollUpNotifications(transaction, deps.clock, notifications)
}

/** Locks in the order of ids, as the settling of deliveries does, so that the two never wait for each other in a circle. */
const lockNotifications = async (on: Queryable, open: string, id: Uuid): Promise<Uuid[]> => {
  const rows = await on.query<{ id: Uuid }>(
    `select id from notifications where id in (select notification_id from deliveries where ${open}) order by id for update`,
    [id],
  )
  return rows.map((row) => row.id)
}
