import { type DeliveryStatus, openStatuses } from './delivery-status.ts'

/** Every status of a notification. */
export const notificationStatuses = ['queued', 'sending', 'sent', 'partially_sent', 'failed', 'canceled'] as const

/** The status of a notification, aggregated from its deliveries. */
export type NotificationStatus = (typeof notificationStatuses)[number]

/** One step of the aggregation: `status` applies when every delivery, or some delivery, has one of the listed statuses. */
export interface AggregateRule {
  readonly status: NotificationStatus
  readonly quantifier: 'every' | 'some'
  readonly of: readonly DeliveryStatus[]
}

/**
 * How the status of a notification follows from its deliveries: the first rule that applies. A `retrying` delivery and
 * a final one count as begun, even `canceled`; `ambiguous` counts as not sent.
 */
export const aggregateRules: readonly AggregateRule[] = [
  { status: 'queued', quantifier: 'every', of: ['queued'] },
  { status: 'sending', quantifier: 'some', of: openStatuses },
  { status: 'sent', quantifier: 'every', of: ['sent'] },
  { status: 'canceled', quantifier: 'every', of: ['canceled'] },
  { status: 'partially_sent', quantifier: 'some', of: ['sent'] },
]

/** The status when no rule applies. */
export const otherwiseAggregated: NotificationStatus = 'failed'

/** Returns the status of a notification with these deliveries. */
export const aggregateStatus = (deliveries: readonly DeliveryStatus[]): NotificationStatus =>
  aggregateRules.find(({ quantifier, of }) => deliveries[quantifier]((status) => of.includes(status)))?.status ?? otherwiseAggregated

/** The statuses of notifications whose deliveries are all settled. */
export const settledStatuses: readonly NotificationStatus[] = notificationStatuses.filter(
  (status) => status !== 'queued' && status !== 'sending',
)

/** Returns whether all deliveries of the notification are settled. */
export const isSettled = (status: string): boolean => (settledStatuses as readonly string[]).includes(status)
