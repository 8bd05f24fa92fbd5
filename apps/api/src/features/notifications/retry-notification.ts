import { statusesBefore } from '@flowpost/domain'
import type { Principal } from '../../auth/principal.ts'
import type { Queryable } from '../../database/database.ts'
import { inLiterals } from '../../database/query-hints.ts'
import { ApiError } from '../../shared/api-error.ts'
import type { Clock } from '../../shared/clock.ts'
import type { Uuid } from '../../shared/ids.ts'
import { aggregateNotifications } from '../delivery/attempts/aggregate-status.ts'
import type { Queue } from '../delivery/queue/queue.ts'
import type { QueueLimit } from '../delivery/queue/queue-limit.ts'
import { getNotification } from './notification.queries.ts'
import type { NotificationRow } from './notification.serializer.ts'

interface RequeuedDelivery {
  readonly deliveryId: Uuid
  readonly userId: string
  readonly projectId: Uuid
  readonly sourceType: string
}

const requeueStatement = `update deliveries d set status = 'queued', failure = null, first_attempt_at = null, next_attempt_at = null,
    ready_at = $2, settled_at = null, credential_removed = false, cancel_requested = false
  where d.notification_id = $1 and ${inLiterals('d.status', statusesBefore('queued'))}
    and exists (select 1 from message_bodies b where b.notification_id = d.notification_id and b.delivery_id = d.id)
    and exists (select 1 from flows f where f.id = d.flow_id)
  returning d.id as "deliveryId", d.user_id as "userId", d.project_id as "projectId", d.source_type as "sourceType"`

const lockProject = { name: 'lock-project', text: 'select 1 from projects where id = $1 for key share' }

/**
 * Queues the failed and ambiguous deliveries of a notification again, with a new retry budget. Deliveries whose flow was
 * deleted, or whose message is no longer stored, are skipped. The caller must notify the queue after the commit.
 * @throws ApiError `not_found`, `queue_full`, or `not_retryable` if there is no delivery to retry.
 */
export const retryNotification = async (
  transaction: Queryable,
  deps: { readonly clock: Clock; readonly queue: Queue; readonly queueLimit: QueueLimit },
  principal: Principal,
  id: string,
): Promise<NotificationRow> => {
  const { project_id: projectId } = await getNotification(transaction, principal, id)
  // Locks the project before the notification, as the lock order of `recordOutcomes` requires. The lock also prevents the
  // flows from being deleted before the commit.
  await transaction.query(lockProject, [projectId])
  const { id: uuid } = await getNotification(transaction, principal, id, true)
  const requeued = await transaction.query<RequeuedDelivery>(requeueStatement, [uuid, deps.clock.now()])
  if (requeued.length === 0)
    throw new ApiError('not_retryable', 'The notification has no failed delivery whose flow and content still exist.')
  const addition = { userId: principal.userId, projectId, count: requeued.length, scheduled: false }
  const { priority, release } = deps.queueLimit.reserve(addition)
  try {
    await deps.queue.enqueue(
      transaction,
      requeued.map((delivery) => ({ ...delivery, priority })),
    )
    await aggregateNotifications(transaction, deps.clock, [uuid])
    return await getNotification(transaction, principal, id)
  } catch (error) {
    release()
    throw error
  }
}
