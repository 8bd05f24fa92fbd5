import type { EventType } from '@flowpost/contract'
import type { Queryable } from '../database/database.ts'
import type { Uuid } from './ids.ts'

type DeliveryEventType = Extract<EventType, `delivery.${string}`>
type FlowEventType = Extract<EventType, `flow.${string}`>

/** A change to a resource. It becomes an event if one of the project's active endpoints subscribes to its `type`. */
export type EventFact =
  | { readonly type: 'notification.settled'; readonly projectId: Uuid; readonly notificationId: Uuid }
  | { readonly type: DeliveryEventType; readonly projectId: Uuid; readonly notificationId: Uuid; readonly deliveryId: Uuid }
  | { readonly type: FlowEventType; readonly projectId: Uuid; readonly flowId: Uuid }

/**
 * Stores the events for the given changes, in the transaction that makes the changes. Call it at the end of the
 * transaction, so that each event contains the final state of its resource.
 */
export type RecordEvents = (transaction: Queryable, facts: readonly EventFact[]) => Promise<void>

/**
 * Returns an SQL condition that is true if the project with the id in `projectIdColumn` has an active event endpoint.
 * Statements whose changes can become events evaluate this condition, and store no event if it is false.
 *
 * Such a statement must also change or lock rows of `deliveries` or `flows`. After an endpoint is created or updated,
 * `awaitEarlierTransactions` waits for the transactions that hold locks on these tables, because they might not see the
 * endpoint. Without such a lock, a transaction might commit its change after the wait without storing an event.
 *
 * The condition is a scalar subquery, because PostgreSQL then always uses an index for each row. With `exists`, the planner
 * might read the whole table instead.
 */
export const hasEventEndpoint = (projectIdColumn: string): string =>
  `((select true from event_endpoints endpoint where endpoint.project_id = ${projectIdColumn} and endpoint.active limit 1) is true)`
