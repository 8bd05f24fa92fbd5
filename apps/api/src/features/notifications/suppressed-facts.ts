import type { EventFact } from '../../shared/event-facts.ts'
import type { StoreItem } from './store-notifications.ts'

/** Returns whether a notification has a suppressed recipient. */
export const hasSuppressed = ({ prepared }: StoreItem): boolean => prepared.deliveries.some(({ failure }) => failure !== null)

/**
 * Returns the {@link EventFact}s for suppressed recipients. Each delivery to a suppressed recipient fails as soon as its
 * notification is accepted. If all its deliveries fail in this way, the notification is complete, which is a second fact.
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
