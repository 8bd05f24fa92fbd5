import type { Transaction } from '../../database/database.ts'
import type { Queue } from '../../queue/queue.ts'
import { ApiError } from '../../shared/api-error.ts'
import type { Clock } from '../../shared/clock.ts'
import type { Principal } from '../../shared/principal.ts'
import type { BackPressure } from '../deliveries/back-pressure.ts'
import { enqueueDeliveries, type QueuedDelivery } from '../deliveries/delivery-jobs.ts'
import { rollUpNotifications } from '../deliveries/roll-up.ts'
import type { NotificationRow } from './notification.wire.ts'
import { getNotification } from './notification-queries.ts'

/**
 * Queues the failed and ambiguous deliveries of a notification again, with a new budget of retries.
 * Left out are those whose flow is gone, and those whose content is no longer kept. The caller wakes
 * the queue once it has committed.
 * @throws ApiError `not_found`, `queue_full`, or `not_retryable` when nothing is left to retry.
 */
export const retryNotification = async (
  transaction: Transaction,
  deps: { queue: Queue; clock: Clock; backPressure: BackPressure },
  principal: Principal,
  id: string,
): Promise<NotificationRow> => {
  const { id: uuid } = await getNotification(transaction, principal, id, true)
  const requeued = await transaction.query<QueuedDelivery>(
    `update deliveries set status = 'queued', failure = null, first_attempt_at = null, next_attempt_at = null, settled_at = null,
       credential_removed = false
     where notification_id = $1 and status in ('failed', 'ambiguous') and exists (
         select 1 from contents c where c.notification_id = deliveries.notification_id and c.delivery_id = deliveries.id
       )
       and exists (select 1 from flows where flows.id = deliveries.flow_id)
     returning id, user_id, project_id, source_type`,
    [uuid],
  )
  if (requeued.length === 0)
    throw new ApiError('not_retryable', 'The notification has no failed delivery whose flow and content still exist.')
  deps.backPressure.admit(principal.userId, requeued.length)
  await enqueueDeliveries(transaction, deps.queue, requeued)
  await rollUpNotifications(transaction, deps.clock, [uuid])
  return getNotification(transaction, principal, id)
}
