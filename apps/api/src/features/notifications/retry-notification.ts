import { requireRetryMode } from '@flowpost/contract/rules'
import type { Principal } from '../../auth/principal.ts'
import type { Transaction } from '../../database/database.ts'
import type { RequestContext } from '../../http/request-context.ts'
import { ApiError } from '../../shared/api-error.ts'
import type { Clock } from '../../shared/clock.ts'
import type { Tracing } from '../../shared/tracing.ts'
import { aggregateNotifications } from '../delivery/attempts/aggregate-status.ts'
import type { Queue } from '../delivery/queue/queue.ts'
import type { QueueLimit } from '../delivery/queue/queue-limit.ts'
import { lockProject, requeueDeliveriesOf } from '../delivery/requeue-deliveries.ts'
import { getNotification } from './notification.queries.ts'
import type { NotificationRow } from './notification.serializer.ts'

/** The dependencies of {@link retryNotification}. */
export interface RetryDeps {
  readonly clock: Clock
  readonly queue: Queue
  readonly queueLimit: QueueLimit
  readonly tracing?: Tracing | undefined
}

/**
 * Requeues a notification's failed and ambiguous deliveries with a new retry budget. Skips deliveries whose flow was
 * deleted or whose message is no longer stored. The caller must notify the queue after the commit.
 * @throws ApiError `not_found`, `scope_missing` if a test key retries a live notification, `queue_full`, or
 * `not_retryable` if the notification has expired or has no delivery to retry.
 */
export const retryNotification = async (
  transaction: Transaction,
  deps: RetryDeps,
  principal: Principal,
  id: string,
  context: RequestContext,
): Promise<NotificationRow> => {
  const { project_id: projectId, test } = await getNotification(transaction, principal, id)
  requireRetryMode(principal, { test })
  // Locks the project before the notification, as the lock order of `recordOutcomes` requires. The lock also prevents the
  // flows from being deleted before the commit.
  await transaction.query(lockProject, [projectId])
  const { id: uuid, expires_at: expiresAt } = await getNotification(transaction, principal, id, true)
  if (expiresAt !== null && new Date(expiresAt) <= deps.clock.now()) throw new ApiError('not_retryable', 'The notification has expired.')
  const requeued = await requeueDeliveriesOf(transaction, deps.clock, uuid)
  if (requeued.length === 0)
    throw new ApiError('not_retryable', 'The notification has no failed or ambiguous delivery whose flow and message still exist.')
  // Before `send_at`, no delivery of the notification has been attempted. So either all requeued deliveries wait for `send_at`,
  // or none does.
  const scheduled = requeued.some(({ dueAt }) => dueAt !== null)
  const addition = { userId: principal.userId, projectId, count: requeued.length, scheduled }
  const { priority, settle } = deps.queueLimit.reserve(addition)
  transaction.onEnd(settle)
  const span = deps.tracing?.startSend(context.span, { notificationId: uuid, deliveries: requeued.length })
  transaction.onEnd((committed) => span?.end(committed ? undefined : 'not_queued'))
  const origin = { requestId: context.requestId, traceContext: span?.context }
  await deps.queue.enqueue(
    transaction,
    requeued.map((delivery) => ({ ...delivery, ...origin, priority })),
  )
  await aggregateNotifications(transaction, deps.clock, [uuid])
  return getNotification(transaction, principal, id)
}
