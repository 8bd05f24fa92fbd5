import { requireRetryMode } from '@flowpost/contract/rules'
import { statusesBefore } from '@flowpost/domain'
import type { Principal } from '../../auth/principal.ts'
import type { Queryable } from '../../database/database.ts'
import { inLiterals } from '../../database/query-hints.ts'
import type { RequestContext } from '../../http/request-context.ts'
import { ApiError } from '../../shared/api-error.ts'
import type { Clock } from '../../shared/clock.ts'
import type { Uuid } from '../../shared/ids.ts'
import type { Tracing } from '../../shared/tracing.ts'
import { aggregateNotifications } from '../delivery/attempts/aggregate-status.ts'
import type { Queue } from '../delivery/queue/queue.ts'
import type { QueueLimit } from '../delivery/queue/queue-limit.ts'
import { getNotification } from './notification.queries.ts'
import type { NotificationRow } from './notification.serializer.ts'

/** The dependencies of {@link retryNotification}. */
export interface RetryDeps {
  readonly clock: Clock
  readonly queue: Queue
  readonly queueLimit: QueueLimit
  readonly tracing?: Tracing | undefined
}

interface RequeuedDelivery {
  readonly deliveryId: Uuid
  readonly userId: string
  readonly projectId: Uuid
  readonly sourceType: string
}

const requeueStatement = `update deliveries d set status = 'queued', failure = null, receipt = null, first_attempt_at = null, next_attempt_at = null,
    ready_at = $2, settled_at = null, credential_removed = false, cancel_requested = false
  where d.notification_id = $1 and ${inLiterals('d.status', statusesBefore('queued'))}
    and exists (select 1 from message_bodies b where b.notification_id = d.notification_id and b.delivery_id = d.id)
    and exists (select 1 from flows f where f.id = d.flow_id)
  returning d.id as "deliveryId", d.user_id as "userId", d.project_id as "projectId", d.source_type as "sourceType"`

const lockProject = { name: 'lock-project', text: 'select 1 from projects where id = $1 for key share' }

/**
 * Queues the failed and ambiguous deliveries of a notification again, with a new retry budget. Deliveries whose flow was
 * deleted, or whose message is no longer stored, are skipped. The caller must notify the queue after the commit.
 * @throws ApiError `not_found`, `scope_missing` for a test key and a live notification, `queue_full`, or `not_retryable` if there is no delivery to retry.
 */
export const retryNotification = async (
  transaction: Queryable,
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
  const requeued = await transaction.query<RequeuedDelivery>(requeueStatement, [uuid, deps.clock.now()])
  if (requeued.length === 0)
    throw new ApiError('not_retryable', 'The notification has no failed delivery whose flow and content still exist.')
  const addition = { userId: principal.userId, projectId, count: requeued.length, scheduled: false }
  const { priority, release } = deps.queueLimit.reserve(addition)
  const span = deps.tracing?.startSend(context.span, { notificationId: uuid, deliveries: requeued.length })
  const origin = { requestId: context.requestId, traceContext: span?.context }
  try {
    await deps.queue.enqueue(
      transaction,
      requeued.map((delivery) => ({ ...delivery, ...origin, priority, expiresAt })),
    )
    await aggregateNotifications(transaction, deps.clock, [uuid])
    const row = await getNotification(transaction, principal, id)
    span?.end()
    return row
  } catch (error) {
    span?.end('not_queued')
    release()
    throw error
  }
}
