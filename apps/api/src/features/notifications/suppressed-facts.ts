import type { EventFact } from '../../shared/event-facts.ts'
import type { StoreItem } from './store-notifications.ts'

/** Returns whether a notification has a suppressed recipient. */
export const hasSuppressed = ({ prepared }: StoreItem): boolean => prepared.deliveries.some(({ failure }) => failure !== null)

/**
 * Returns the event facts of suppressed recipients, whose deliveries fail as soon as their notification is accepted: one fact
 * for each of these deliveries, and one for each notification that has no other deliveries.
 */
export const suppressedFacts = (items: readonly StoreItem[]): EventFact[] =>
  items.flatMap(({ prepared: { projectId, notification, deliveries } }): EventFact[] => {
    const failed = deliveries.filter(({ failure }) => failure !== null)
    const notificationId = notification.id
    return [
      ...failed.map(({ id }) => ({ type: 'delivery.failed', projectId, notificationId, deliveryId: id }) as const),
      ...(failed.length === deliveries.length ? [{ type: 'notification.settled', projectId, notificationId } as const] : []),
    ]
  })
