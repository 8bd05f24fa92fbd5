import { ApiError } from '@flowpost/contract/rules'
import { expiredFailure, type Failure, isFinal, statusesBefore, suppressedFailure } from '@flowpost/domain'
import type { CompletionTracker } from '../delivery/completion.ts'
import { type MockContext, timestamp } from '../state/mock-context.ts'
import type { DeliveryRecord, NotificationRecord } from '../state/store.ts'
import { requireQueueSpace } from './queue-limit.ts'

const cancelable = new Set(statusesBefore('canceled'))
const retryable = new Set(statusesBefore('queued'))

/** Cancels a pending delivery. The caller must update the notification's status. */
export const cancelDelivery = (delivery: DeliveryRecord, failure: Failure | null = null): void => {
  delivery.status = 'canceled'
  delivery.next_attempt_at = null
  delivery.failure = failure
}

/** Cancels an expired notification's delivery if the delivery is still pending. */
export const cancelExpired = (completion: CompletionTracker, delivery: DeliveryRecord): void => {
  if (!cancelable.has(delivery.status)) return
  cancelDelivery(delivery, expiredFailure)
  completion.updateStatus(delivery.notification)
}

/** Fails a delivery whose recipient is suppressed. */
export const failSuppressed = (completion: CompletionTracker, delivery: DeliveryRecord): void => {
  delivery.status = 'failed'
  delivery.next_attempt_at = null
  delivery.failure = suppressedFailure
  completion.updateStatus(delivery.notification)
}

/** Cancels a notification's queued and retrying deliveries. */
export const cancelNotification = (completion: CompletionTracker, notification: NotificationRecord): void => {
  const pending = notification.deliveries.filter(({ status }) => cancelable.has(status))
  for (const delivery of pending) cancelDelivery(delivery)
  if (pending.length > 0) completion.updateStatus(notification)
}

/**
 * Cancels the pending deliveries of a deleted project or flow. A delivery that is being sent finishes its attempt, but
 * is not retried.
 */
export const cancelPending = (context: MockContext, completion: CompletionTracker, of: { projectId?: string; flowId?: string }): void => {
  const changed = [...context.store.notifications.values()].filter((notification) => {
    const pending = notification.deliveries.filter(
      ({ status, flow_id }) =>
        (flow_id === of.flowId || notification.project_id === of.projectId) && (cancelable.has(status) || status === 'sending'),
    )
    for (const delivery of pending) {
      delivery.cancelRequested = true
      if (delivery.status !== 'sending') cancelDelivery(delivery)
    }
    return pending.length > 0
  })
  completion.updateStatus(...changed)
}

/**
 * Prevents pending deliveries from falling back to the deployment's credential after the project's own credential for
 * the provider was deleted.
 */
export const revokeCredential = ({ store }: MockContext, projectId: string, sourceType: string): void => {
  for (const { project_id, deliveries } of store.notifications.values())
    for (const delivery of deliveries)
      if (project_id === projectId && delivery.source_type === sourceType && !delivery.captured && !isFinal(delivery.status))
        delivery.isCredentialRemoved = true
}

const isExpired = ({ clock }: MockContext, { expires_at }: NotificationRecord): boolean =>
  expires_at !== null && Date.parse(expires_at) <= clock.now()

/**
 * Returns whether a delivery can be retried: it is failed or ambiguous, its flow and content still exist, and its
 * notification has not expired.
 */
export const isRetryable = (context: MockContext, { status, flow_id, content, notification }: DeliveryRecord): boolean =>
  retryable.has(status) && content !== null && context.store.flows.has(flow_id) && !isExpired(context, notification)

/** Returns whether a notification is due in the future. */
export const isScheduled = ({ clock }: MockContext, { sendAt }: NotificationRecord): boolean => sendAt !== null && sendAt > clock.now()

/**
 * Queues a delivery again, with a new retry budget. It is due at `retryAt`, in milliseconds since the epoch, or immediately if
 * that is `null`, but not before the notification's `send_at`. A time after `expires_at` is replaced by `expires_at`. The
 * caller must update the notification's status.
 */
export const requeueDelivery = (context: MockContext, delivery: DeliveryRecord, retryAt: number | null = null): void => {
  const { sendAt, expires_at } = delivery.notification
  const at = isScheduled(context, delivery.notification) ? Math.max(sendAt ?? 0, retryAt ?? 0) : retryAt
  delivery.status = 'queued'
  delivery.failure = null
  delivery.receipt = null
  delivery.firstAttemptAt = null
  delivery.attemptsBeforeBudget = delivery.attempt_count
  delivery.isCredentialRemoved = false
  delivery.next_attempt_at = at === null ? null : timestamp(context, Math.min(at, Date.parse(expires_at ?? '') || at))
  delivery.isRecorded = false
  delivery.notification.isRecorded = false
}

/**
 * Queues a notification's failed and ambiguous deliveries again, with a new retry budget. Skips deliveries whose flow
 * or content no longer exists.
 *
 * @returns The queued deliveries.
 * @throws {ApiError} `queue_full`, or `not_retryable` when the notification has expired or has no delivery to retry.
 */
export const retryNotification = (
  context: MockContext,
  completion: CompletionTracker,
  notification: NotificationRecord,
): DeliveryRecord[] => {
  if (isExpired(context, notification)) throw new ApiError('not_retryable', 'The notification has expired.')
  const failed = notification.deliveries.filter((delivery) => isRetryable(context, delivery))
  if (failed.length === 0)
    throw new ApiError('not_retryable', 'The notification has no failed or ambiguous delivery whose flow and message still exist.')
  requireQueueSpace(context, { userId: notification.userId, count: failed.length, scheduled: isScheduled(context, notification) })
  for (const delivery of failed) requeueDelivery(context, delivery)
  completion.updateStatus(notification)
  return failed
}
