import type { EventType } from '@flowpost/contract'
import { isCompleted } from '../delivery/completion.ts'
import { toFlow } from '../features/flow.serializer.ts'
import { toEmbeddedDelivery, toNotificationWithAttempts } from '../features/notification.serializer.ts'
import type { Event } from '../state/api-types.ts'
import { type MockContext, timestamp } from '../state/mock-context.ts'
import type { DeliveryRecord, EventEndpointRecord, FlowRecord, NotificationRecord } from '../state/store.ts'

/** A mock's event log. */
export interface EventLog {
  /** Stores events for deliveries that have reached a final status, then events for completed notifications. */
  recordCompletion(notifications: readonly NotificationRecord[]): void
  /** Stores an event for a delivery receipt. */
  recordReceipt(delivery: DeliveryRecord): void
  /** Stores an event if a flow's health status has changed to `healthy` or `unhealthy`. */
  recordHealth(flow: FlowRecord, before: FlowRecord['condition']): void
  /** Calls `callback` after each stored event. Returns a function that removes the listener. */
  onEvent(callback: () => void): () => void
}

const deliveryEvents: Partial<Record<DeliveryRecord['status'], EventType>> = {
  sent: 'delivery.sent',
  failed: 'delivery.failed',
  ambiguous: 'delivery.ambiguous',
  canceled: 'delivery.canceled',
}

type Data<Type> = Extract<Event, { type: Type }>['data']

const toDeliveryData = (delivery: DeliveryRecord): Data<'delivery.sent'> => {
  const { id, project_id, test, reference, metadata } = delivery.notification
  return { ...toEmbeddedDelivery(delivery), notification_id: id, project_id, test, reference, metadata: { ...metadata } }
}

const toNotificationData = (notification: NotificationRecord): Data<'notification.settled'> => {
  const { subject: _, ...data } = toNotificationWithAttempts(notification)
  return data
}

const isSubscribed = ({ active, events }: EventEndpointRecord, type: EventType): boolean => active && events.includes(type)

/**
 * Creates a mock's event log. Like the server, it stores an event only if the project has an active endpoint that
 * subscribes to the event's type.
 */
export const createEventLog = (context: MockContext): EventLog => {
  const { store } = context
  const listeners = new Set<() => void>()

  const append = (projectId: string, type: EventType, data: () => unknown): void => {
    const endpoint = [...store.eventEndpoints.values()].find((one) => one.projectId === projectId && isSubscribed(one, type))
    if (!endpoint) return
    const id = context.generateId('event')
    const event = { id, created_at: timestamp(context), type, data: data() } as Event
    store.events.set(id, { id, userId: endpoint.userId, projectId, event })
    for (const callback of [...listeners]) callback()
  }

  return {
    recordCompletion: (notifications) => {
      for (const { project_id, deliveries } of notifications)
        for (const delivery of deliveries) {
          const type = deliveryEvents[delivery.status]
          if (delivery.isRecorded || !type) continue
          delivery.isRecorded = true
          append(project_id, type, () => toDeliveryData(delivery))
        }
      for (const notification of notifications) {
        if (notification.isRecorded || !isCompleted(notification)) continue
        notification.isRecorded = true
        append(notification.project_id, 'notification.settled', () => toNotificationData(notification))
      }
    },
    recordReceipt: (delivery) => append(delivery.notification.project_id, 'delivery.receipt', () => toDeliveryData(delivery)),
    recordHealth: (flow, before) => {
      const { status } = flow.condition
      if (status === 'unknown' || status === before.status) return
      append(flow.project_id, `flow.${status}`, () => toFlow(context, flow))
    },
    onEvent: (callback) => {
      listeners.add(callback)
      return () => void listeners.delete(callback)
    },
  }
}
