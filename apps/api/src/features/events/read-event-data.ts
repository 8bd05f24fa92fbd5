import { maxEmbeddedAttempts } from '@flowpost/contract/rules'
import type { Channels } from '@flowpost/domain'
import type { Queryable } from '../../database/database.ts'
import type { EventFact } from '../../shared/event-facts.ts'
import type { Uuid } from '../../shared/ids.ts'
import { readFlows } from '../flows/flow.queries.ts'
import { toFlow } from '../flows/flow.serializer.ts'
import { attemptsOf, embeddedDeliveriesOf, readDeliveries, readNotifications } from '../notifications/notification.queries.ts'
import type { NotificationRow } from '../notifications/notification.serializer.ts'
import { toEventDelivery, toEventNotification } from './event.serializer.ts'

type NotificationFact = Exclude<EventFact, { flowId: Uuid }>
type DeliveryFact = Extract<EventFact, { deliveryId: Uuid }>
type FlowFact = Extract<EventFact, { flowId: Uuid }>

const isFlowFact = (fact: EventFact): fact is FlowFact => 'flowId' in fact
const isDeliveryFact = (fact: EventFact): fact is DeliveryFact => 'deliveryId' in fact

/**
 * Reads the resources to which `EventFact`s refer. Returns each resource as JSON, keyed by its fact. Omits resources
 * that no longer exist.
 */
export const readEventData = async (
  on: Queryable,
  channels: Channels,
  facts: readonly EventFact[],
): Promise<ReadonlyMap<EventFact, string>> => {
  const data = new Map<EventFact, string>()
  const flowFacts = facts.filter(isFlowFact)
  const others = facts.filter((fact): fact is NotificationFact => !isFlowFact(fact))
  if (flowFacts.length > 0) {
    const flows = await readFlows(
      on,
      flowFacts.map(({ flowId }) => flowId),
    )
    const byId = new Map(flows.map((row) => [row.id, row]))
    for (const fact of flowFacts) {
      const row = byId.get(fact.flowId)
      if (row) data.set(fact, JSON.stringify(toFlow(row, channels)))
    }
  }
  if (others.length === 0) return data
  const rows = await readNotifications(on, [...new Set(others.map(({ notificationId }) => notificationId))])
  const notifications = new Map(rows.map((row) => [row.id, row]))
  const deliveries = others.filter(isDeliveryFact)
  const settled = others.filter((fact) => !isDeliveryFact(fact))
  if (deliveries.length > 0) await addDeliveries(on, data, deliveries, notifications)
  for (const chunk of chunksOf(settled)) await addNotifications(on, data, chunk, notifications)
  return data
}

const addDeliveries = async (
  on: Queryable,
  data: Map<EventFact, string>,
  facts: readonly DeliveryFact[],
  notifications: ReadonlyMap<Uuid, NotificationRow>,
): Promise<void> => {
  const rows = await readDeliveries(
    on,
    facts.map(({ deliveryId }) => deliveryId),
  )
  const attempts = await attemptsOf(on, rows, maxEmbeddedAttempts)
  const byId = new Map(rows.map((row) => [row.id, row]))
  for (const fact of facts) {
    const row = byId.get(fact.deliveryId)
    const notification = notifications.get(fact.notificationId)
    if (row && notification) data.set(fact, JSON.stringify(toEventDelivery(row, attempts.get(row.id) ?? [], notification)))
  }
}

// The maximum number of notifications per call of `embeddedDeliveriesOf`. A notification embeds up to 100 deliveries, and a
// call returns at most 2,001. If a call were given more than 20 notifications, some of their deliveries could be missing.
const maxNotifications = 20

const chunksOf = <T>(items: readonly T[]): T[][] =>
  Array.from({ length: Math.ceil(items.length / maxNotifications) }, (_, index) =>
    items.slice(index * maxNotifications, (index + 1) * maxNotifications),
  )

const addNotifications = async (
  on: Queryable,
  data: Map<EventFact, string>,
  facts: readonly NotificationFact[],
  notifications: ReadonlyMap<Uuid, NotificationRow>,
): Promise<void> => {
  const deliveries = await embeddedDeliveriesOf(
    on,
    facts.map(({ notificationId }) => notificationId),
  )
  const attempts = await attemptsOf(on, [...deliveries.values()].flat(), maxEmbeddedAttempts)
  for (const fact of facts) {
    const row = notifications.get(fact.notificationId)
    if (row) data.set(fact, JSON.stringify(toEventNotification(row, deliveries.get(row.id) ?? [], attempts)))
  }
}
