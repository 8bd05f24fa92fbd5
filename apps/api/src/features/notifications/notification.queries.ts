import { maxEmbeddedDeliveries, maxEmbeddedRows } from '@flowpost/contract/rules'
import type { Principal } from '../../auth/principal.ts'
import { pageLimit, type Queryable } from '../../database/database.ts'
import { notFound } from '../../shared/api-error.ts'
import { fromId, type Uuid } from '../../shared/ids.ts'
import { projectUuid } from '../projects/project.queries.ts'
import type { AttemptRow, DeliveryRow, NotificationRow } from './notification.serializer.ts'

// Every stored message of a notification contains the subject of the notification.
const columns = `n.id, n.project_id, n.status, (select b.subject from message_bodies b where b.notification_id = n.id limit 1) as subject, n.created_at`
const deliveryColumns = `id, notification_id, flow_id, source_type, target, status, captured, attempt_count, next_attempt_at, sent_at,
  provider_message_id, failure`
const lastId = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

const selectNotification = `select ${columns} from notifications n
  where n.id = $1 and n.user_id = $2 and ($3::uuid is null or n.project_id = $3)`
const readNotification = { name: 'notification', text: selectNotification }
const lockNotification = { name: 'lock-notification', text: `${selectNotification} for update` }

/**
 * Reads a notification of the principal's user.
 * @param lock whether to lock the row until the transaction ends. Meanwhile, outcomes of the notification's deliveries cannot
 * be recorded.
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

/** The filters of a list of notifications. */
export interface NotificationFilters {
  readonly project_id?: string | undefined
  readonly flow_id?: string | undefined
  readonly status?: string | undefined
}

/**
 * Reads at most `count` notifications of the principal's user, newest first. Reads only notifications older than the one with
 * the UUID `before`, if given.
 * @throws ApiError `not_found` for an unknown project or flow. A deleted project or flow is still found while its
 * notifications are stored.
 */
export const listNotifications = async (
  on: Queryable,
  principal: Principal,
  filters: NotificationFilters,
  count: number,
  before: Uuid | undefined,
): Promise<NotificationRow[]> => {
  const projectId = filters.project_id === undefined ? principal.projectId : await findProjectId(on, principal, filters.project_id)
  const flowId = filters.flow_id === undefined ? undefined : await findFlowId(on, principal, filters.flow_id)
  const conditions = ['n.user_id = $1', 'n.id < $2']
  const values: unknown[] = [principal.userId, before ?? lastId]
  const addFilter = (condition: (parameter: string) => string, value: unknown) => {
    if (value === undefined) return
    values.push(value)
    conditions.push(condition(`$${values.length}`))
  }
  addFilter((parameter) => `n.project_id = ${parameter}`, projectId)
  addFilter((parameter) => `n.status = ${parameter}`, filters.status)
  values.push(count)
  const limit = `$${values.length}` as const
  const readPage = (from: string, limitClause = `limit ${limit}`) =>
    on.query<NotificationRow>(`select ${columns} from ${from} where ${conditions.join(' and ')} order by n.id desc ${limitClause}`, values)
  if (flowId === undefined) return readPage('notifications n', pageLimit(limit))
  values.push(flowId)
  const flow = `$${values.length}`
  if (filters.status !== undefined) {
    conditions.push(`exists (select 1 from deliveries d where d.flow_id = ${flow} and d.notification_id = n.id)`)
    return readPage('notifications n')
  }
  // All notifications of a flow belong to one user and project, so the index of the flow's deliveries alone selects the page.
  // The index of the user's notifications might require skipping any number of other notifications.
  const ofFlow = `select distinct notification_id as id from deliveries where flow_id = ${flow} and notification_id < $2 order by 1 desc`
  return readPage(`(${ofFlow} limit ${limit}) f join notifications n on n.id = f.id`)
}

/** Returns the UUID of a project. A deleted project is still found while its notifications are stored. */
const findProjectId = async (on: Queryable, principal: Principal, id: string): Promise<Uuid> => {
  const uuid = projectUuid(principal, id)
  const [row] = await on.query(
    `select 1 from projects where id = $1 and user_id = $2
     union all select 1 from notifications where project_id = $1 and user_id = $2 limit 1`,
    [uuid, principal.userId],
  )
  if (!row) throw notFound()
  return uuid
}

/** Returns the UUID of a flow. A deleted flow is still found while its deliveries are stored. */
const findFlowId = async (on: Queryable, principal: Principal, id: string): Promise<Uuid> => {
  const uuid = fromId('flow', id)
  if (uuid === undefined) throw notFound()
  const [row] = await on.query(
    `select 1 from flows f join projects p on p.id = f.project_id
     where f.id = $1 and p.user_id = $2 and ($3::uuid is null or p.id = $3)
     union all select 1 from deliveries where flow_id = $1 and user_id = $2 and ($3::uuid is null or project_id = $3) limit 1`,
    [uuid, principal.userId, principal.projectId ?? null],
  )
  if (!row) throw notFound()
  return uuid
}

const firstDeliveries = {
  name: 'first-deliveries',
  text: `select d.* from (select id from unnest($1::uuid[]) as u(id) order by id desc) n cross join lateral (
      select ${deliveryColumns} from deliveries where notification_id = n.id order by id limit ${maxEmbeddedDeliveries}
    ) d order by n.id desc, d.id limit ${maxEmbeddedRows + 1}`,
}

/**
 * Reads the first deliveries of each notification, in the order of their ids. Returns them keyed by notification. If a page
 * cannot embed that many deliveries, only those of the newest notifications are read, and the page omits the older
 * notifications.
 */
export const embeddedDeliveriesOf = async (on: Queryable, ids: readonly Uuid[]): Promise<Map<Uuid, DeliveryRow[]>> => {
  if (ids.length === 0) return new Map()
  const rows = await on.query<DeliveryRow>(firstDeliveries, [ids])
  return Map.groupBy(rows, (row) => row.notification_id)
}

/**
 * Reads at most `count` deliveries of a notification, newest first. Reads only deliveries older than the one with the UUID
 * `before`, if given.
 */
export const listDeliveries = (on: Queryable, notificationId: Uuid, count: number, before: Uuid | undefined): Promise<DeliveryRow[]> =>
  on.query<DeliveryRow>(
    `select ${deliveryColumns} from deliveries where notification_id = $1 and id < $2 order by id desc ${pageLimit('$3')}`,
    [notificationId, before ?? lastId, count],
  )

const newestAttempts = {
  name: 'newest-attempts',
  text: `select a.* from unnest($1::uuid[]) as d(id) cross join lateral (
      select id, delivery_id, number, started_at, duration_ms, outcome, provider_response from attempts
      where delivery_id = d.id order by number desc limit $2
    ) a order by a.delivery_id, a.number`,
}

/** Reads the newest attempts of each delivery, at most `count`. Returns them keyed by delivery, oldest first. */
export const attemptsOf = async (on: Queryable, deliveries: readonly DeliveryRow[], count: number): Promise<Map<Uuid, AttemptRow[]>> => {
  if (deliveries.length === 0) return new Map()
  const rows = await on.query<AttemptRow>(newestAttempts, [deliveries.map(({ id }) => id), count])
  return Map.groupBy(rows, (row) => row.delivery_id)
}
