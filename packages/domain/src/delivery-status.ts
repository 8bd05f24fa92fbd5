/**
 * The life of a delivery.
 *
 * A delivery is accepted as `queued`. A worker that takes it up makes it `sending`. The attempt ends in one
 * of four ways: the provider accepted the message (`sent`); it failed and is to be tried again (`retrying`);
 * it failed for good, or the budget for retries is over (`failed`); or nobody can tell whether the provider
 * has it, and the policy is to hold such messages rather than risk a duplicate (`ambiguous`). A delivery
 * whose worker died stays `sending` until another worker takes it up.
 *
 * When a `retrying` delivery is due, it becomes `sending` again.
 *
 * What is not under way, `queued` or `retrying`, can be called off: by request, or because its flow or project
 * was deleted (`canceled`). It can also fail without an attempt, when its credential is gone (`failed`).
 * What is `sending` cannot be called off.
 *
 * `sent`, `failed`, `ambiguous` and `canceled` are final: no process leaves them by itself. A person may ask
 * for `failed` and `ambiguous` deliveries to be tried anew; they become `queued`. `sent` and `canceled` never
 * change.
 */
const transitions = {
  queued: ['sending', 'failed', 'canceled'],
  sending: ['sent', 'retrying', 'failed', 'ambiguous'],
  retrying: ['sending', 'failed', 'canceled'],
  sent: [],
  failed: ['queued'],
  ambiguous: ['queued'],
  canceled: [],
} as const satisfies Readonly<Record<string, readonly string[]>>

/** Where a delivery stands. */
export type DeliveryStatus = keyof typeof transitions

/** Every status of a delivery. */
export const deliveryStatuses = Object.keys(transitions) as readonly DeliveryStatus[]

/** Whether the delivery is settled: nothing happens to it any more unless a person asks for a retry. */
export const isFinal = (status: DeliveryStatus): boolean =>
  status === 'sent' || status === 'failed' || status === 'ambiguous' || status === 'canceled'

/** Whether a delivery may go from one status to the other. Staying in a status is no transition. */
export const canTransition = (from: DeliveryStatus, to: DeliveryStatus): boolean =>
  (transitions[from] as readonly DeliveryStatus[]).includes(to)

/** The statuses from which a delivery may go to `to`, for the guard of an update. */
export const statusesBefore = (to: DeliveryStatus): DeliveryStatus[] => deliveryStatuses.filter((from) => canTransition(from, to))

/** Every status of a notification. */
export const notificationStatuses = ['queued', 'sending', 'sent', 'partially_sent', 'failed', 'canceled'] as const

/** Where a notification stands, rolled up from its deliveries. */
export type NotificationStatus = (typeof notificationStatuses)[number]

/** How many deliveries stand where. A status that is left out counts as 0. */
export type StatusCounts = Readonly<Partial<Record<DeliveryStatus, number>>>

/**
 * The status of a notification, from how many of its deliveries stand where, or from their statuses.
 *
 * - While one is not settled: `queued` when none was begun, which is when all are `queued`; else `sending`.
 *   A delivery that waits for a retry was begun, and so was one that is settled, even as `canceled`.
 * - When all are settled: `sent` when all are sent, `canceled` when all are canceled, `partially_sent` when
 *   some are sent, else `failed`, a mix of failed and canceled included. `ambiguous` counts as not sent.
 * - Without deliveries: `queued`. Acceptance never makes such a notification.
 */
export const rollUp = (deliveries: StatusCounts | readonly DeliveryStatus[]): NotificationStatus => {
  const counts = isList(deliveries) ? countStatuses(deliveries) : deliveries
  const of = (status: DeliveryStatus): number => counts[status] ?? 0
  const all = deliveryStatuses.reduce((sum, status) => sum + of(status), 0)
  if (of('queued') === all) return 'queued'
  if (of('queued') + of('sending') + of('retrying') > 0) return 'sending'
  if (of('sent') === all) return 'sent'
  if (of('canceled') === all) return 'canceled'
  return of('sent') > 0 ? 'partially_sent' : 'failed'
}

const isList = (value: StatusCounts | readonly DeliveryStatus[]): value is readonly DeliveryStatus[] => Array.isArray(value)

const countStatuses = (statuses: readonly DeliveryStatus[]): StatusCounts => {
  const counts: Partial<Record<DeliveryStatus, number>> = {}
  for (const status of statuses) counts[status] = (counts[status] ?? 0) + 1
  return counts
}
