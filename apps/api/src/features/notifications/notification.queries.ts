import { maxEmbeddedDeliveries, maxEmbeddedRows } from '@flowpost/contract/rules'
import type { Principal } from '../../auth/principal.ts'
import { pageLimit, type Queryable } from '../../database/database.ts'
import { anyUuid } from '../../database/query-hints.ts'
import { notFound } from '../../shared/api-error.ts'
import { fromId, highestUuid, type Uuid } from '../../shared/ids.ts'
import type { AttemptRow, DeliveryRow, NotificationRow } from './notification.serializer.ts'

/** The columns of a notification `n`. All of its stored messages have the same subject, so `limit 1` picks any of them. */
export const notificationColumns = `n.id, n.project_id, n.status, (select b.subject from message_bodies b where b.notification_id = n.id limit 1) as subject,
  n.test is true as test, n.reference, n.metadata, n.created_at, n.expires_at`
const deliveryColumns = `id, notification_id, flow_id, source_type, target, status, captured, attempt_count, next_attempt_at, sent_at,
  provider_message_id, failure, receipt`

const selectNotification = `select ${notificationColumns} from notifications n
  where n.id = $1 and n.user_id = $2 and ($3::uuid is null or n.project_id = $3)`
const readNotification = { name: 'notification', text: selectNotification }
const lockNotification = { name: 'lock-notification', text: `${selectNotification} for update` }

/**
 * Reads a notification that the principal may access.
 * @param lock whether to lock the row until the transaction ends. While the row is locked, outcomes of the notification's
 * deliveries cannot be recorded.
 * @throws ApiError `not_found`.
 */
export const getNotification = async (on: Queryable, principal: Principal, id: string, lock = false): Promise<NotificationRow> => {
  const uuid = fromId('notification', id)
  if (uuid === undefined) throw notFound()
  const values = [uuid, principal.userId, principal.projectId ?? null]
  const [row] = await on.query<NotificationRow>(lock ? lockNotification : readNotification, values)
  if (!row) throw notFound()
  return row
}

const notificationsById = {
  name: 'notifications-by-id',
  text: `select n.id, n.project_id, n.status, null as subject, n.test is true as test, n.reference, n.metadata, n.created_at, n.expires_at
    from notifications n where ${anyUuid('n.id', '$1')}`,
}
const deliveriesById = { name: 'deliveries-by-id', text: `select ${deliveryColumns} from deliveries where ${anyUuid('id', '$1')}` }

/** Reads notifications without their subjects. */
export const readNotifications = (on: Queryable, ids: readonly Uuid[]): Promise<NotificationRow[]> =>
  on.query<NotificationRow & object>(notificationsById, [ids])

/** Reads the deliveries with the given ids. Omits ids that do not exist. */
export const readDeliveries = (on: Queryable, ids: readonly Uuid[]): Promise<DeliveryRow[]> =>
  on.query<DeliveryRow & object>(deliveriesById, [ids])

const firstDeliveries = {
  name: 'first-deliveries',
  text: `select d.* from (select id from unnest($1::uuid[]) as u(id) order by id desc) n cross join lateral (
      select ${deliveryColumns} from deliveries where notification_id = n.id order by id limit ${maxEmbeddedDeliveries}
    ) d order by n.id desc, d.id limit ${maxEmbeddedRows + 1}`,
}

/**
 * Reads the first {@link maxEmbeddedDeliveries} deliveries of each notification, by delivery id. Returns them keyed by
 * notification id.
 *
 * Reads the deliveries of the newest notification first. Stops after {@link maxEmbeddedRows} + 1 deliveries in total, which is
 * one more than a page may embed. After such a stop, the result may lack deliveries of the oldest notifications. The page must
 * not contain a notification whose deliveries are incomplete.
 */
export const embeddedDeliveriesOf = async (on: Queryable, ids: readonly Uuid[]): Promise<Map<Uuid, DeliveryRow[]>> => {
  if (ids.length === 0) return new Map()
  const rows = await on.query<DeliveryRow>(firstDeliveries, [ids])
  return Map.groupBy(rows, (row) => row.notification_id)
}

/**
 * Reads at most `count` deliveries of a notification, newest first. If `before` is given, reads only deliveries older
 * than the one with that UUID.
 */
export const listDeliveries = (on: Queryable, notificationId: Uuid, count: number, before: Uuid | undefined): Promise<DeliveryRow[]> =>
  on.query<DeliveryRow>(
    `select ${deliveryColumns} from deliveries where notification_id = $1 and id < $2 order by id desc ${pageLimit('$3')}`,
    [notificationId, before ?? highestUuid, count],
  )

const readDelivery = { name: 'delivery', text: `select ${deliveryColumns} from deliveries where id = $1` }

/**
 * Reads a delivery. The caller must have checked that the principal may access the delivery.
 * @throws ApiError `not_found`.
 */
export const getDelivery = async (on: Queryable, id: Uuid): Promise<DeliveryRow> => {
  const [row] = await on.query<DeliveryRow>(readDelivery, [id])
  if (!row) throw notFound()
  return row
}

const newestAttempts = {
  name: 'newest-attempts',
  text: `select a.* from unnest($1::uuid[]) as d(id) cross join lateral (
      select id, delivery_id, number, started_at, duration_ms, outcome, provider_response from attempts
      where delivery_id = d.id order by number desc limit $2
    ) a order by a.delivery_id, a.number`,
}

/**
 * Reads the newest attempts of each delivery, at most `count` per delivery. Returns them keyed by delivery id, oldest
 * first.
 */
export const attemptsOf = async (on: Queryable, deliveries: readonly DeliveryRow[], count: number): Promise<Map<Uuid, AttemptRow[]>> => {
  if (deliveries.length === 0) return new Map()
  const rows = await on.query<AttemptRow>(newestAttempts, [deliveries.map(({ id }) => id), count])
  return Map.groupBy(rows, (row) => row.delivery_id)
}
