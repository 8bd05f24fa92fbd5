import { ApiError } from './api-error.ts'

const retryAfterSeconds = 10

const queueFull = (detail: string): ApiError =>
  new ApiError('queue_full', `${detail} Try again later.`, { headers: { 'Retry-After': String(retryAfterSeconds) } })

/**
 * Rejects deliveries that would exceed the queue limit. A single user may use at most half of the limit, so that some
 * of it remains for other users. The limit applies separately to two kinds of deliveries: scheduled ones that are not due
 * yet, and all others. `pending` counts only deliveries of the same kind as the new ones.
 * @param pending The number of pending deliveries, for all users and for the user who adds `count` deliveries.
 * @throws ApiError `queue_full`.
 */
export const requireQueueCapacity = (limit: number, pending: { readonly ofAll: number; readonly ofUser: number }, count: number): void => {
  if (pending.ofAll + count > limit) throw queueFull('Too many messages are waiting to be delivered.')
  if (pending.ofUser + count > Math.ceil(limit / 2)) throw queueFull('Too many of your messages are waiting to be delivered.')
}
