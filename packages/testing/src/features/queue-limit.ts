import { ApiError } from '@flowpost/contract/rules'
import { isFinal } from '@flowpost/domain'
import type { World } from '../state/world.ts'

/**
 * Refuses more deliveries than the queue has room for.
 * @throws ApiError `queue_full`.
 */
export const requireRoom = ({ store, settings }: World, count: number): void => {
  if (settings.queueLimit === Number.POSITIVE_INFINITY) return
  let waiting = 0
  for (const { deliveries } of store.notifications.values()) for (const { status } of deliveries) if (!isFinal(status)) waiting += 1
  if (waiting + count > settings.queueLimit)
    throw new ApiError('queue_full', 'Too many messages are waiting to be delivered. Try again in a while.', {
      headers: { 'Retry-After': '10' },
    })
}
