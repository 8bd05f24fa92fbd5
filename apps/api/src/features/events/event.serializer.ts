import type { Event, EventDelivery, EventNotification, PushedEventType } from '@flowpost/contract'
import type { z } from 'zod'
import { timestamp } from '../../database/database.ts'
import { toId, type Uuid } from '../../shared/ids.ts'
import {
  type AttemptRow,
  type DeliveryRow,
  type NotificationRow,
  toDeliveryWithAttempts,
  toNotificationWithAttempts,
} from '../notifications/notification.serializer.ts'
import type { EventRow } from './event.queries.ts'

/** Returns a notification as the data of an event. */
export const toEventNotification = (
  row: NotificationRow,
  deliveries: readonly DeliveryRow[],
  attempts: ReadonlyMap<Uuid, readonly AttemptRow[]>,
): z.output<typeof EventNotification> => {
  const { subject: _, ...notification } = toNotificationWithAttempts(row, deliveries, attempts)
  return notification
}

/** Returns a delivery as the data of an event. */
export const toEventDelivery = (
  row: DeliveryRow,
  attempts: readonly AttemptRow[],
  notification: NotificationRow,
): z.output<typeof EventDelivery> => ({
  ...toDeliveryWithAttempts(row, attempts),
  notification_id: toId('notification', notification.id),
  project_id: toId('project', notification.project_id),
  test: notification.test,
  reference: notification.reference,
  metadata: notification.metadata ?? {},
})

/**
 * Returns an event as JSON text, for the feed and for requests to endpoints. Inserts the event's data without parsing
 * it.
 */
export const toEventJson = ({
  id,
  type,
  created_at,
  data,
}: Pick<EventRow, 'id' | 'created_at' | 'data'> & { readonly type: PushedEventType }): string =>
  `{"id":"${toId('event', id)}","type":"${type}","created_at":"${timestamp(created_at)}","data":${data}}`

/** Returns the API representation of an event. */
export const toEvent = (row: EventRow): z.output<typeof Event> => JSON.parse(toEventJson(row)) as z.output<typeof Event>
