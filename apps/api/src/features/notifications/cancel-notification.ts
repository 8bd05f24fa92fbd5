import type { Principal } from '../../auth/principal.ts'
import type { Queryable } from '../../database/database.ts'
import { type CancelDeps, cancelDeliveriesOf } from '../delivery/cancel-deliveries.ts'
import { getNotification } from './notification.queries.ts'
import type { NotificationRow } from './notification.serializer.ts'

/**
 * Cancels a notification's deliveries that are queued or waiting for a retry. Attempts in progress can still finish.
 * In the result, `canceled` is `false` if there was nothing to cancel.
 * @throws ApiError `not_found`.
 */
export const cancelNotification = async (
  transaction: Queryable,
  deps: CancelDeps,
  principal: Principal,
  id: string,
): Promise<{ readonly row: NotificationRow; readonly canceled: boolean }> => {
  const notification = await getNotification(transaction, principal, id, true)
  const canceled = await cancelDeliveriesOf(transaction, deps, notification.id)
  return { row: canceled ? await getNotification(transaction, principal, id) : notification, canceled }
}
