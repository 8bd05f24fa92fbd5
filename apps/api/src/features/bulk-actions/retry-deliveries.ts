import type { Transaction } from '../../database/database.ts'
import type { Clock } from '../../shared/clock.ts'
import type { Uuid } from '../../shared/ids.ts'
import { aggregateNotifications } from '../delivery/attempts/aggregate-status.ts'
import { minPriority, type Queue } from '../delivery/queue/queue.ts'
import type { QueueLimit } from '../delivery/queue/queue-limit.ts'
import { requeueDeliveries } from '../delivery/requeue-deliveries.ts'
import type { RunningAction } from './action-progress.ts'
import type { LockedDelivery } from './selected-deliveries.ts'

/** The dependencies of {@link retryDeliveries}. */
export interface RetryStepDeps {
  readonly clock: Clock
  readonly queue: Queue
  readonly queueLimit: QueueLimit
  /** Returns a uniformly distributed random number in [0, 1). */
  readonly random: () => number
}

/**
 * Returns a random delay in milliseconds for each delivery, keyed by delivery id. The delays spread the deliveries
 * evenly over the remainder of `spread_seconds`. Returns `undefined` once that time is over.
 */
const spreadDelays = (
  { spread_seconds, elapsed_ms }: RunningAction,
  ids: readonly Uuid[],
  random: () => number,
): Record<Uuid, number> | undefined => {
  const leftMs = spread_seconds * 1_000 - elapsed_ms
  return leftMs > 0 ? Object.fromEntries(ids.map((id) => [id, Math.floor(random() * leftMs)])) : undefined
}

/**
 * Requeues the `locked` deliveries at the lowest priority, so that new messages overtake them. Skips deliveries that
 * cannot be retried. Returns the ids of the requeued deliveries.
 * @throws ApiError `queue_full`.
 */
export const retryDeliveries = async (
  transaction: Transaction,
  deps: RetryStepDeps,
  action: RunningAction,
  locked: readonly LockedDelivery[],
): Promise<readonly Uuid[]> => {
  // As in `requireRetryMode`, a test key must not deliver live messages.
  const ids = locked.filter(({ test }) => test || !action.test).map(({ id }) => id)
  if (ids.length === 0) return []
  const delays = spreadDelays(action, ids, deps.random)
  const requeued = await requeueDeliveries(transaction, deps.clock, ids, delays)
  const { user_id: userId, project_id: projectId, request_id: requestId, trace_context: traceContext } = action
  for (const scheduled of [false, true]) {
    const count = requeued.filter(({ dueAt }) => (dueAt !== null) === scheduled).length
    if (count > 0) transaction.onEnd(deps.queueLimit.reserve({ userId, projectId, count, scheduled }).settle)
  }
  const origin = { requestId, traceContext, priority: minPriority }
  await deps.queue.enqueue(
    transaction,
    requeued.map((delivery) => ({ ...delivery, ...origin })),
  )
  await aggregateNotifications(transaction, deps.clock, [...new Set(requeued.map(({ notificationId }) => notificationId))])
  return requeued.map(({ deliveryId }) => deliveryId)
}
