import type { DeliveryCount } from '@flowpost/contract/rules'
import { type DeliveryStatus, notificationStatusesWith, openStatuses, statusesBefore } from '@flowpost/domain'
import type { Queryable } from '../../database/database.ts'
import { anyUuid, inLiterals } from '../../database/query-hints.ts'
import { fromId, highestUuid, type Uuid } from '../../shared/ids.ts'
import type { AppliedFilter } from './bulk-action.serializer.ts'

/** The change that a bulk action makes to deliveries. */
export type ActionKind = 'retry' | 'cancel'

/** The deliveries that a bulk action selects. */
export interface Selection {
  readonly action: ActionKind
  /** The project of the deliveries. It belongs to the user who created the action. */
  readonly projectId: Uuid
  readonly filter: Omit<AppliedFilter, 'project_id' | 'created_after' | 'created_before'>
  /** The last notification to examine. */
  readonly lastNotificationId: Uuid
}

/** The position of a delivery. Deliveries are ordered by their notifications, then by their own ids. */
export interface Position {
  readonly notificationId: Uuid
  readonly deliveryId: Uuid
}

/** The maximum numbers of rows that one statement examines, whether they match or not. */
export interface ExamineLimits {
  readonly notifications: number
  readonly deliveries: number
}

const createValues = () => {
  const values: unknown[] = []
  const add = (value: unknown): `$${number}` => {
    values.push(value)
    return `$${values.length}`
  }
  return { values, add }
}

type Add = ReturnType<typeof createValues>['add']

// A cancellation also selects deliveries that are being sent, and counts them as skipped.
const selectable: Readonly<Record<ActionKind, readonly DeliveryStatus[]>> = { retry: statusesBefore('queued'), cancel: openStatuses }

/** Returns the SQL condition that is true if a delivery `d` matches the selection's action and filter. */
const conditionsOf = ({ action, filter }: Selection, add: Add): string => {
  const { flow_id, source_type, status, failure_kind, failure_code } = filter
  const conditions = [inLiterals('d.status', selectable[action])]
  if (status !== null) conditions.push(`d.status = ${add(status)}`)
  if (flow_id !== null) conditions.push(`d.flow_id = ${add(fromId('flow', flow_id))}`)
  if (source_type !== null) conditions.push(`d.source_type = ${add(source_type)}`)
  if (failure_kind !== null) conditions.push(`d.failure ->> 'kind' = ${add(failure_kind)}`)
  if (failure_code !== null) conditions.push(`d.failure ->> 'code' = ${add(failure_code)}`)
  return conditions.join(' and ')
}

/**
 * Returns two common table expressions. `page` contains the project's next notifications, ordered by id. `page` filters only
 * by project and id, because with more conditions, PostgreSQL might use an index that also contains other projects'
 * notifications.
 *
 * `examined` contains the deliveries of these notifications. `examined` skips a notification if the notification's status, such
 * as `sent`, shows that none of its deliveries match.
 */
const examine = (selection: Selection, after: Position, limits: ExamineLimits, add: Add): string => {
  const [notificationId, deliveryId] = [`${add(after.notificationId)}::uuid`, `${add(after.deliveryId)}::uuid`]
  return `page as materialized (
      select n.id, n.status from notifications n
      where n.project_id = ${add(selection.projectId)} and n.id >= ${notificationId} and n.id <= ${add(selection.lastNotificationId)}
      order by n.id limit ${limits.notifications}
    ), examined as materialized (
      select d.* from (
        select id from page where ${inLiterals('status', notificationStatusesWith(selectable[selection.action]))} order by id
      ) p cross join lateral (
        select d.notification_id, d.id, d.status, d.failure, ${conditionsOf(selection, add)} as matches from deliveries d
        where d.notification_id = p.id and (d.notification_id > ${notificationId} or d.id > ${deliveryId}) order by d.id
      ) d order by p.id, d.id limit ${limits.deliveries}
    )`
}

const ends = `(select count(*)::int from page) as notifications, (select count(*)::int from examined) as deliveries,
  (select id from page order by id desc limit 1) as "lastNotification",
  (select json_build_array(notification_id, id) from examined order by notification_id desc, id desc limit 1) as "lastDelivery"`

interface Ends {
  readonly notifications: number
  readonly deliveries: number
  readonly lastNotification: Uuid | null
  readonly lastDelivery: readonly [Uuid, Uuid] | null
}

/** Returns the position after which to continue, or `undefined` if all notifications were examined. */
const nextPosition = (found: Ends, limits: ExamineLimits): Position | undefined => {
  if (found.deliveries === limits.deliveries && found.lastDelivery)
    return { notificationId: found.lastDelivery[0], deliveryId: found.lastDelivery[1] }
  if (found.notifications === limits.notifications && found.lastNotification !== null)
    return { notificationId: found.lastNotification, deliveryId: highestUuid }
  return undefined
}

/** The matching deliveries in order, and the position after which to continue. */
export interface MatchingDeliveries {
  readonly deliveryIds: readonly Uuid[]
  readonly notificationIds: readonly Uuid[]
  readonly next: Position | undefined
}

/** Finds at most `count` matching deliveries after a position. Locks nothing. */
export const findMatching = async (
  on: Queryable,
  selection: Selection,
  after: Position,
  count: number,
  limits: ExamineLimits,
): Promise<MatchingDeliveries> => {
  const { values, add } = createValues()
  const [row] = await on.query<Ends & { found: readonly (readonly [Uuid, Uuid])[] }>(
    `with ${examine(selection, after, limits, add)}, found as materialized (
      select notification_id, id from examined where matches order by notification_id, id limit ${count}
    )
    select (select coalesce(json_agg(json_build_array(notification_id, id) order by notification_id, id), '[]') from found) as found, ${ends}`,
    values,
  )
  if (!row) throw new Error('The delivery query returned no row.')
  const last = row.found.at(-1)
  return {
    deliveryIds: row.found.map(([, id]) => id),
    notificationIds: [...new Set(row.found.map(([notificationId]) => notificationId))],
    next: row.found.length === count && last ? { notificationId: last[0], deliveryId: last[1] } : nextPosition(row, limits),
  }
}

/** Counts the matching deliveries after a position. Also returns the position after which to continue. */
export const countMatching = async (
  on: Queryable,
  selection: Selection,
  after: Position,
  limits: ExamineLimits,
): Promise<{ readonly counts: readonly DeliveryCount[]; readonly next: Position | undefined }> => {
  const { values, add } = createValues()
  const [row] = await on.query<Ends & { counts: DeliveryCount[] }>(
    `with ${examine(selection, after, limits, add)}, counted as (
      select status, failure ->> 'code' as failure_code, count(*)::int as count from examined where matches group by 1, 2
    )
    select (select coalesce(json_agg(counted), '[]') from counted) as counts, ${ends}`,
    values,
  )
  if (!row) throw new Error('The delivery query returned no row.')
  return { counts: row.counts, next: nextPosition(row, limits) }
}

/** A delivery that {@link lockMatching} has locked. */
export interface LockedDelivery {
  readonly id: Uuid
  readonly status: DeliveryStatus
  readonly test: boolean
}

/**
 * Locks and returns those of the given deliveries that still match the selection. The caller must have locked their
 * notifications.
 */
export const lockMatching = (on: Queryable, selection: Selection, deliveryIds: readonly Uuid[]): Promise<LockedDelivery[]> => {
  const { values, add } = createValues()
  const given = anyUuid('d.id', add(deliveryIds))
  return on.query<LockedDelivery & object>(
    `select d.id, d.status, d.test is true as test from deliveries d where ${given} and ${conditionsOf(selection, add)}
     order by d.id for no key update`,
    values,
  )
}
