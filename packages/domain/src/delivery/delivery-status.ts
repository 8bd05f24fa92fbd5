/**
 * The state machine of deliveries.
 *
 * A new delivery is `queued`. When a worker starts an attempt, the delivery becomes `sending`. The attempt ends in one of
 * four ways: the provider accepted the message (`sent`); the attempt failed and will be retried (`retrying`); it failed
 * permanently, or the retry budget is exhausted (`failed`); or the provider's response was lost and the deployment is
 * configured to hold such messages rather than risk a duplicate (`ambiguous`). When the next attempt of a `retrying`
 * delivery starts, the delivery becomes `sending` again. A delivery whose worker died stays `sending` until another worker
 * starts a new attempt or decides the outcome of the interrupted attempt.
 *
 * A delivery to a suppressed recipient becomes `failed` instead of `sending`; if the recipient is already suppressed when the
 * notification is accepted, the delivery is `failed` from the start.
 *
 * `queued` and `retrying` deliveries are pending. They become `canceled` when a request cancels them, when their flow
 * or project is deleted, when their notification expires, when their recipient is erased, or when the operator cancels
 * them after restoring the database. Erasing the recipient and canceling after a restore also turn `sending` deliveries into
 * `ambiguous` ones.
 *
 * A `sending` delivery cannot be recalled. However, if its attempt fails after its flow or project was deleted, or if
 * its notification expires before the next attempt, the delivery becomes `canceled` instead of `retrying`. The transition
 * from `sending` to `canceled` is the only one that is not in the table.
 *
 * `sent`, `failed`, `ambiguous` and `canceled` are final. A request to retry a notification turns its `failed` and
 * `ambiguous` deliveries into `queued` ones if they can still be sent; `sent` and `canceled` never change.
 *
 * There is no second copy of this table: the server's SQL, the server's code and the mock all derive from it.
 */
const states = {
  queued: { final: false, next: ['sending', 'failed', 'canceled'] },
  sending: { final: false, next: ['sent', 'retrying', 'failed', 'ambiguous'] },
  retrying: { final: false, next: ['sending', 'failed', 'canceled'] },
  sent: { final: true, next: [] },
  failed: { final: true, next: ['queued'] },
  ambiguous: { final: true, next: ['queued'] },
  canceled: { final: true, next: [] },
} as const satisfies Readonly<Record<string, { readonly final: boolean; readonly next: readonly string[] }>>

/** The status of a delivery. */
export type DeliveryStatus = keyof typeof states

/** All delivery statuses. */
export const deliveryStatuses = Object.keys(states) as readonly DeliveryStatus[]

/** Returns whether a status is final. A final status changes only when a request retries the notification. */
export const isFinal = (status: DeliveryStatus): boolean => states[status].final

/** The statuses that are not final. A delivery has a job in the queue if and only if it has one of these statuses. */
export const openStatuses: readonly DeliveryStatus[] = deliveryStatuses.filter((status) => !isFinal(status))

/** Returns whether a delivery may change from status `from` to status `to`. Returns false if both are the same. */
export const canTransition = (from: DeliveryStatus, to: DeliveryStatus): boolean =>
  (states[from].next as readonly DeliveryStatus[]).includes(to)

/** Returns the statuses from which a delivery may change to `to`. SQL and the mock use them to select deliveries. */
export const statusesBefore = (to: DeliveryStatus): DeliveryStatus[] => deliveryStatuses.filter((from) => canTransition(from, to))
