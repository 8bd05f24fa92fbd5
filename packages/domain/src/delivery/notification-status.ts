import { type DeliveryStatus, deliveryStatuses, openStatuses } from './delivery-status.ts'

/** All notification statuses. */
export const notificationStatuses = ['queued', 'sending', 'sent', 'partially_sent', 'failed', 'canceled'] as const

/** The status of a notification, aggregated from its deliveries. */
export type NotificationStatus = (typeof notificationStatuses)[number]

/**
 * A rule that determines a notification's `status`. With the quantifier `every`, the rule applies if all of the
 * notification's deliveries have a status in `of`. With `some`, it applies if at least one delivery has a status in `of`.
 */
export interface AggregateRule {
  readonly status: NotificationStatus
  readonly quantifier: 'every' | 'some'
  readonly of: readonly DeliveryStatus[]
}

/**
 * The rules that derive a notification's status from its deliveries' statuses. The first matching rule is used. A
 * notification is `queued` only while all of its deliveries are `queued`: a delivery with any other status, even
 * `canceled`, counts as started. An `ambiguous` delivery counts as not sent.
 */
export const aggregateRules: readonly AggregateRule[] = [
  { status: 'queued', quantifier: 'every', of: ['queued'] },
  { status: 'sending', quantifier: 'some', of: openStatuses },
  { status: 'sent', quantifier: 'every', of: ['sent'] },
  { status: 'canceled', quantifier: 'every', of: ['canceled'] },
  { status: 'partially_sent', quantifier: 'some', of: ['sent'] },
]

/** The status of a notification to which no rule in {@link aggregateRules} applies. */
export const defaultAggregateStatus: NotificationStatus = 'failed'

/** Returns the status of a notification whose deliveries have these statuses. */
export const aggregateStatus = (deliveries: readonly DeliveryStatus[]): NotificationStatus =>
  aggregateRules.find(({ quantifier, of }) => deliveries[quantifier]((status) => of.includes(status)))?.status ?? defaultAggregateStatus

/** The notification statuses that imply that every delivery has a final status. */
export const completedStatuses: readonly NotificationStatus[] = notificationStatuses.filter(
  (status) => status !== 'queued' && status !== 'sending',
)

/** Returns the statuses that a notification can have if at least one of its deliveries has one of the given statuses. */
export const notificationStatusesWith = (statuses: readonly DeliveryStatus[]): NotificationStatus[] => {
  // Tries every combination of three delivery statuses that contains the given status. Combinations of four or more lead to
  // the same notification statuses.
  const found = new Set<NotificationStatus>()
  for (const status of statuses)
    for (const one of deliveryStatuses) for (const other of deliveryStatuses) found.add(aggregateStatus([status, one, other]))
  return notificationStatuses.filter((status) => found.has(status))
}

/** Returns whether a notification status implies that every delivery has a final status. */
export const isCompleted = (status: string): boolean => (completedStatuses as readonly string[]).includes(status)
