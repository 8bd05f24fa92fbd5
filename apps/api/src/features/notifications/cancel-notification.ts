import type { Transaction } from '../../database/database.ts'
import type { Principal } from '../../shared/principal.ts'
import type { CancelDeps } from '../deliveries/cancel-open.ts'
import { type DeliveryKey, removeContents } from '../deliveries/contents.ts'
import { rollUpNotifications } from '../deliveries/roll-up.ts'
import type { NotificationRow } from './notification.wire.ts'
import { getNotification } from './notification-queries.ts'

/**
 * Cancels what is queued or waiting to be retried. What is being sent right now goes on. With nothing
 * to cancel nothing changes.
 * @throws ApiError `not_found`.
 */
export const cancelNotification = async (
  transaction: Transaction,
  deps: CancelDeps,
  principal: Principal,
  id: string,
): Promise<NotificationRow> => {
  const before = await getNotification(transaction, principal, id, true)
  const canceled = await transaction.query<DeliveryKey>(
    `update deliveries set status = 'canceled', settled_at = $2, next_attempt_at = null, failure = null
     where notification_id = $1 and status in ('queued', 'retrying') returning id, notification_id`,
    [before.id, deps.clock.now()],
  )
  if (canceled.length === 0) return before
  if (!deps.logContent) await removeContents(transaction, canceled)
  await rollUpNotifications(transaction, deps.clock, [before.id])
  return getNotification(transaction, principal, id)
}
