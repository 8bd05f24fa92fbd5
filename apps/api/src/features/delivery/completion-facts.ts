import type { EventFact } from '../../shared/event-facts.ts'
import type { Uuid } from '../../shared/ids.ts'

/** The columns of a changed delivery that are needed to create its {@link EventFact}s. */
export interface ChangedDelivery {
  readonly id: Uuid
  readonly notification_id: Uuid
  readonly project_id: Uuid
  readonly status: string
  /** Whether the project has an active event endpoint. */
  readonly has_events: boolean
}

const eventTypes = {
  sent: 'delivery.sent',
  failed: 'delivery.failed',
  ambiguous: 'delivery.ambiguous',
  canceled: 'delivery.canceled',
} as const

const isFinal = (status: string): status is keyof typeof eventTypes => Object.hasOwn(eventTypes, status)

/**
 * Returns {@link EventFact}s: one for each delivery with a final status, then one for each notification in `completed` that
 * has such a delivery. Omits projects without active event endpoints.
 * @param completed the ids of the notifications that are now completed.
 */
export const factsOf = (deliveries: readonly ChangedDelivery[], completed: ReadonlySet<Uuid>): EventFact[] => {
  const observed = deliveries.filter(({ has_events, status }) => has_events && isFinal(status))
  const settled = new Map(observed.map(({ notification_id, project_id }) => [notification_id, project_id]))
  return [
    ...observed.flatMap(({ id, notification_id, project_id, status }): EventFact[] =>
      isFinal(status) ? [{ type: eventTypes[status], projectId: project_id, notificationId: notification_id, deliveryId: id }] : [],
    ),
    ...[...settled].flatMap(([notificationId, projectId]): EventFact[] =>
      completed.has(notificationId) ? [{ type: 'notification.settled', projectId, notificationId }] : [],
    ),
  ]
}
