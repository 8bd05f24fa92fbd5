import { ApiError } from '@flowpost/contract/rules'
import { statusesBefore } from '@flowpost/domain'
import type { Settlements } from '../delivery/notification-status.ts'
import type { DeliveryRecord, NotificationRecord } from '../state/records.ts'
import type { World } from '../state/world.ts'
import { requireRoom } from './queue-limit.ts'

const cancelable = new Set(statusesBefore('canceled'))
const retryable = new Set(statusesBefore('queued'))

const cancel = (delivery: DeliveryRecord): void => {
  delivery.status = 'canceled'
  delivery.next_attempt_at = null
  delivery.failure = null
}

/** Cancels what is queued or waiting to be retried. With nothing to cancel nothing changes. */
export const cancelNotification = (settlements: Settlements, notification: NotificationRecord): void => {
  const open = notification.deliveries.filter(({ status }) => cancelable.has(status))
  for (const delivery of open) cancel(delivery)
  if (open.length > 0) settlements.update(notification)
}

/** Cancels what is open of a project or a flow that is deleted. What is being sent right now is only not tried again. */
export const cancelOpen = (world: World, settlements: Settlements, of: { projectId?: string; flowId?: string }): void => {
  for (const notification of world.store.notifications.values()) {
    const open = notification.deliveries.filter(
      ({ status, flow_id }) =>
        (flow_id === of.flowId || notification.project_id === of.projectId) && (cancelable.has(status) || status === 'sending'),
    )
    for (const delivery of open) {
      delivery.cancelRequested = true
      if (delivery.status !== 'sending') cancel(delivery)
    }
    if (open.length > 0) settlements.update(notification)
  }
}

/**
 * Queues the failed and ambiguous deliveries of a notification again, with a new budget of retries. Left out are those
 * whose flow is gone.
 * @returns what was queued.
 * @throws ApiError `queue_full`, or `not_retryable` when nothing is left to retry.
 */
export const retryNotification = (world: World, settlements: Settlements, notification: NotificationRecord): DeliveryRecord[] => {
  const failed = notification.deliveries.filter(({ status, flow_id }) => retryable.has(status) && world.store.flows.has(flow_id))
  if (failed.length === 0)
    throw new ApiError('not_retryable', 'The notification has no failed delivery whose flow and content still exist.')
  requireRoom(world, failed.length)
  for (const delivery of failed) {
    delivery.status = 'queued'
    delivery.failure = null
    delivery.firstAttemptAt = null
    delivery.next_attempt_at = null
  }
  settlements.update(notification)
  return failed
}
