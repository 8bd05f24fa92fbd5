import { type DeliveryStatus, openStatuses } from './delivery-status.ts'

/** All statuses of notifications. */
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
 * The rules that aggregate the statuses of deliveries. The first rule that applies determines the status of the
 * notification. `retrying` and final deliveries count as started, even `canceled` ones. `ambiguous` counts as not sent.
 */
export const aggregateRules: readonly AggregateRule[] = [
  { status: 'queued', quantifier: 'every', of: ['queued'] },
  { status: 'sending', quantifier: 'some', of: openStatuses },
  { status: 'sent', quantifier: 'every', of: ['sent'] },
  { status: 'canceled', quantifier: 'every', of: ['canceled'] },
  { status: 'partially_sent', quantifier: 'some', of: ['sent'] },
]

/** The status if no rule applies. */
export const defaultAggregateStatus: NotificationStatus = 'failed'

/** Returns the status of a notification with these deliveries. */
export const aggregateStatus = (deliveries: readonly DeliveryStatus[]): NotificationStatus =>
  aggregateRules.find(({ quantifier, of }) => deliveries[quantifier]((status) => of.includes(status)))?.status ?? defaultAggregateStatus

/** The statuses of notifications whose deliveries all have a final status. */
export const completedStatuses: readonly NotificationStatus[] = notificationStatuses.filter(
  (status) => status !== 'queued' && status !== 'sending',
)

/** Returns whether all deliveries of a notification with this status have a final status. */
export const isCompleted = (status: string): boolean => (completedStatuses as readonly string[]).includes(status)
