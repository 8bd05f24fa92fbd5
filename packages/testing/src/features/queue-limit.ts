import { requireQueueCapacity } from '@flowpost/contract/rules'
import { isFinal } from '@flowpost/domain'
import type { MockContext } from '../state/mock-context.ts'
import type { DeliveryRecord } from '../state/store.ts'

/** One user's deliveries that are about to be queued. */
export interface Addition {
  readonly userId: string
  readonly count: number
  /** Whether the deliveries are due in the future. */
  readonly scheduled: boolean
}

// A `retrying` delivery does not count as scheduled, because it has already been due once.
const isScheduled = ({ clock }: MockContext, { status, next_attempt_at }: DeliveryRecord): boolean =>
  status === 'queued' && next_attempt_at !== null && Date.parse(next_attempt_at) > clock.now()

/**
 * Rejects deliveries that would exceed the queue limit. Scheduled deliveries, which have not become due yet, are counted
 * separately.
 *
 * @throws {ApiError} `queue_full`.
 */
export const requireQueueSpace = (context: MockContext, { userId, count, scheduled }: Addition): void => {
  const pending = { ofAll: 0, ofUser: 0 }
  for (const notification of context.store.notifications.values())
    for (const delivery of notification.deliveries) {
      if (isFinal(delivery.status) || isScheduled(context, delivery) !== scheduled) continue
      pending.ofAll += 1
      if (notification.userId === userId) pending.ofUser += 1
    }
  requireQueueCapacity(context.settings.queueLimit, pending, count)
}
