import type { EventFact } from '../../shared/event-facts.ts'
import type { StoreItem } from './store-notifications.ts'

/** Returns whether a notification has a suppressed recipient. */
export const hasSuppressed = ({ prepared }: StoreItem): boolean => prepared.deliveries.some(({ failure }) => failure !== null)

/**
 * Returns the event facts for deliveries that have already failed because their recipients are suppressed, and for
 * notifications in which every delivery has already failed.
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
