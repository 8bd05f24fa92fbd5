import { z } from 'zod'
import { DeliveryWithAttempts } from './deliveries.ts'
import { notificationEventExample } from './examples.ts'
import { Flow } from './flows.ts'
import { NotificationWithAttempts } from './notification-resources.ts'
import { Id, TimestampField } from './primitives.ts'

const { shape: notification } = NotificationWithAttempts

const commonFields = {
  id: Id('event', 'The id of the event. A receiver can use it to detect duplicates.'),
  created_at: TimestampField('When the event occurred.'),
}

/** A completed notification in an event, without its subject. */
export const EventNotification = NotificationWithAttempts.omit({ subject: true }).meta({
  id: 'EventNotification',
  description:
    'A completed notification with its deliveries, as `GET /v1/notifications/{notification_id}` returns it, but without its subject.',
})

/** A delivery in an event, with the notification's id, project, `test` flag, reference and metadata. */
export const EventDelivery = DeliveryWithAttempts.extend({
  notification_id: Id('notification', 'The id of the notification that the delivery belongs to.'),
  project_id: notification.project_id,
  test: notification.test,
  reference: notification.reference,
  metadata: notification.metadata,
}).meta({
  id: 'EventDelivery',
  description: "A delivery with its attempts, and with its notification's id, project, `test` flag, reference and metadata.",
})

const event = <const Type extends string, Data extends z.ZodType>(id: string, type: Type, data: Data, description: string) =>
  z.object({ ...commonFields, type: z.literal(type).meta({ description: 'The type of the event.' }), data }).meta({ id, description })

/** The event that occurs when all of a notification's deliveries have a final status. */
export const NotificationSettledEvent = event(
  'NotificationSettledEvent',
  'notification.settled',
  EventNotification,
  'All deliveries of a notification have a final status. A retry can cause another event for the same notification.',
).meta({ examples: [notificationEventExample] })

/** The event that occurs when the provider accepts a delivery's message. */
export const DeliverySentEvent = event('DeliverySentEvent', 'delivery.sent', EventDelivery, 'The provider accepted the message.')

/** The event that occurs when a delivery fails permanently. */
export const DeliveryFailedEvent = event('DeliveryFailedEvent', 'delivery.failed', EventDelivery, 'The delivery failed permanently.')

/** The event that occurs when a delivery ends with an unknown outcome. */
export const DeliveryAmbiguousEvent = event(
  'DeliveryAmbiguousEvent',
  'delivery.ambiguous',
  EventDelivery,
  "The provider's response was lost, so the message may have been sent.",
)

/** The event that occurs when a delivery is canceled or expires. */
export const DeliveryCanceledEvent = event(
  'DeliveryCanceledEvent',
  'delivery.canceled',
  EventDelivery,
  'The delivery was canceled, or expired.',
)

/** The event that occurs when a receipt for a sent message is recorded. */
export const DeliveryReceiptEvent = event(
  'DeliveryReceiptEvent',
  'delivery.receipt',
  EventDelivery,
  'A receipt was recorded: a report of what happened to the message after the provider accepted it.',
)

/** The event that occurs when a flow becomes unhealthy. */
export const FlowUnhealthyEvent = event('FlowUnhealthyEvent', 'flow.unhealthy', Flow, 'The flow became unhealthy.')

/** The event that occurs when a flow becomes healthy. */
export const FlowHealthyEvent = event(
  'FlowHealthyEvent',
  'flow.healthy',
  Flow,
  'The health of the flow changed from `unhealthy` or `unknown` to `healthy`.',
)

/** The event that tests an endpoint. It is not stored. */
export const TestPingEvent = event(
  'TestPingEvent',
  'test.ping',
  z
    .object({
      endpoint_id: Id('eventEndpoint', 'The id of the endpoint.'),
      project_id: Id('project', "The id of the endpoint's project."),
    })
    .meta({ description: 'The endpoint that is tested.' }),
  'A test of an endpoint. `GET /v1/events` does not return this event.',
)

const storedEvents = [
  NotificationSettledEvent,
  DeliverySentEvent,
  DeliveryFailedEvent,
  DeliveryAmbiguousEvent,
  DeliveryCanceledEvent,
  DeliveryReceiptEvent,
  FlowUnhealthyEvent,
  FlowHealthyEvent,
] as const

/** An event in the feed. */
export const Event = z
  .discriminatedUnion('type', storedEvents)
  .meta({ id: 'Event', description: 'An event in the feed. A newer server can return event types that the client does not know.' })

/** The body of a request to an event endpoint. */
export const PushedEvent = z
  .discriminatedUnion('type', [...storedEvents, TestPingEvent])
  .meta({ id: 'PushedEvent', description: 'The body of a request to an event endpoint.' })

/** A page of the event feed, with the cursor for the next request. */
export const EventFeed = z
  .object({
    data: z.array(Event).meta({ description: 'The events, oldest first. Empty if there are no new events yet.' }),
    cursor: z.string().meta({
      description:
        'The position after the last event. Pass it as `cursor` in the next request, even if this response is empty. It does not expire.',
    }),
  })
  .meta({ id: 'EventFeed', description: 'A page of the event feed, with the cursor for the next request.' })
