import { z } from 'zod'
import { Delivery, DeliveryWithAttempts } from './deliveries.ts'
import { notificationExample } from './examples.ts'
import { Id, OpenEnum, PageOf, Timestamp, TimestampField } from './primitives.ts'

/** The statuses of a notification. */
export const notificationStatuses = ['queued', 'sending', 'sent', 'partially_sent', 'failed', 'canceled'] as const

const commonFields = {
  id: Id('notification', 'The id of the notification.'),
  project_id: Id('project', 'The id of the project that the notification belongs to.'),
  status: OpenEnum(notificationStatuses).meta({ description: 'The status of the notification, aggregated from its deliveries.' }),
  subject: z.string().nullable().meta({
    description: 'The subject; `null` if it is not stored, for example after its retention period or after an erasure.',
  }),
  test: z.boolean().meta({
    description:
      'Whether the notification was sent with a test key. If so, all of its messages are captured instead of delivered, even after a retry.',
  }),
  reference: z.string().nullable().meta({ description: 'The `reference` in the send request; `null` if it had none.' }),
  metadata: z.record(z.string(), z.string()).meta({ description: 'The `metadata` in the send request; empty if it had none.' }),
  created_at: TimestampField('When the notification was accepted.'),
  expires_at: Timestamp.nullable().meta({
    description: 'The time after which no attempt starts; `null` if the notification does not expire.',
  }),
}

/** An accepted notification with its deliveries. */
export const Notification = z
  .object({
    ...commonFields,
    deliveries: z
      .array(Delivery)
      .meta({ description: 'The first 100 deliveries. `GET /v1/notifications/{notification_id}/deliveries` returns all.' }),
  })
  .meta({ id: 'Notification', description: 'An accepted notification with its deliveries.', examples: [notificationExample] })

/** A notification with its deliveries and their attempts. */
export const NotificationWithAttempts = z
  .object({
    ...commonFields,
    deliveries: z
      .array(DeliveryWithAttempts)
      .meta({ description: 'The first 100 deliveries. `GET /v1/notifications/{notification_id}/deliveries` returns all.' }),
  })
  .meta({ id: 'NotificationWithAttempts', description: 'A notification with its deliveries and their attempts.' })

/** A page of notifications. */
export const NotificationPage = PageOf('NotificationPage', NotificationWithAttempts)

/** A page of deliveries. */
export const DeliveryPage = PageOf('DeliveryPage', DeliveryWithAttempts)
