/**
 * The state machine of deliveries.
 *
 * A delivery is accepted as `queued`. When a worker starts an attempt, it becomes `sending`. The attempt ends in
 * one of four ways: the provider accepted the message (`sent`); it failed and will be retried (`retrying`); it
 * failed permanently, or the retry budget is exhausted (`failed`); or the provider's response was lost and the
 * deployment is configured to hold such messages rather than risk a duplicate (`ambiguous`). When a `retrying`
 * delivery is due, it becomes `sending` again. A delivery whose worker died stays `sending` until another worker
 * starts a new attempt.
 *
 * `queued` and `retrying` deliveries are pending: they can be canceled by request, or because their flow or project
 * was deleted (`canceled`). A `sending` delivery cannot be recalled. If its flow or project is deleted, it is not
 * retried: an attempt that would be retried ends as `canceled`, which is the only transition that is not in the table.
 *
 * `sent`, `failed`, `ambiguous` and `canceled` are final. A retry by request turns `failed` and `ambiguous` into
 * `queued`; `sent` and `canceled` never change.
 *
 * This table is the only definition: the server's SQL, the server's code and the mock all derive from it.
 */
const states = {
  queued: { final: false, next: ['sending', 'canceled'] },
  sending: { final: false, next: ['sent', 'retrying', 'failed', 'ambiguous'] },
  retrying: { final: false, next: ['sending', 'canceled'] },
  sent: { final: true, next: [] },
  failed: { final: true, next: ['queued'] },
  ambiguous: { final: true, next: ['queued'] },
  canceled: { final: true, next: [] },
} as const satisfies Readonly<Record<string, { readonly final: boolean; readonly next: readonly string[] }>>

/** The status of a delivery. */
export type DeliveryStatus = keyof typeof states

/** All statuses of deliveries. */
export const deliveryStatuses = Object.keys(states) as readonly DeliveryStatus[]

/** Returns whether a status is final. Only a retry by request changes a final status. */
export const isFinal = (status: DeliveryStatus): boolean => states[status].final

/** The statuses that are not final. A delivery has a job in the queue if and only if it has one of these statuses. */
export const openStatuses: readonly DeliveryStatus[] = deliveryStatuses.filter((status) => !isFinal(status))

/** Returns whether a delivery may change from one status to the other. Staying in a status is not a transition. */
export const canTransition = (from: DeliveryStatus, to: DeliveryStatus): boolean =>
  (states[from].next as readonly DeliveryStatus[]).includes(to)

/** Returns the statuses from which a delivery may change to `to`, for the guard of an update. */
export const statusesBefore = (to: DeliveryStatus): DeliveryStatus[] => deliveryStatuses.filter((from) => canTransition(from, to))
