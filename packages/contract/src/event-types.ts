/**
 * The types of events that an endpoint can subscribe to. An event records something that has happened. A retry can cause a
 * later event with a different outcome, but does not change the earlier event.
 */
export const subscribableEventTypes = [
  'notification.settled',
  'delivery.sent',
  'delivery.failed',
  'delivery.ambiguous',
  'delivery.canceled',
  'delivery.receipt',
  'flow.unhealthy',
  'flow.healthy',
] as const

/** The types of events that are sent to an endpoint. */
export const pushedEventTypes = [...subscribableEventTypes, 'test.ping'] as const

/** The type of an event that an endpoint can subscribe to. */
export type EventType = (typeof subscribableEventTypes)[number]

/** The type of an event that is sent to an endpoint. */
export type PushedEventType = (typeof pushedEventTypes)[number]
