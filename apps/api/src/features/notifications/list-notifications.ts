import type { Principal } from '../../auth/principal.ts'
import { pageLimit, type Queryable } from '../../database/database.ts'
import { notFound } from '../../shared/api-error.ts'
import { firstUuidOf, fromId, highestUuid, lowestUuid, type Uuid } from '../../shared/ids.ts'
import type { Recipients } from '../delivery/recipients/recipients.ts'
import { projectUuid } from '../projects/project.queries.ts'
import { notificationColumns } from './notification.queries.ts'
import type { NotificationRow } from './notification.serializer.ts'
import {
  type AddValue,
  deliveryConditions,
  notificationConditions,
  type SearchFilters,
  type SearchSource,
  sourcesOf,
} from './search-sources.ts'

/** The filters for listing notifications, with the names and value formats of the API. */
export interface NotificationFilters {
  readonly project_id?: string | undefined
  readonly flow_id?: string | undefined
  readonly status?: string | undefined
  readonly reference?: string | undefined
  readonly target?: string | undefined
  readonly source_type?: string | undefined
  readonly failure_kind?: string | undefined
  readonly failure_code?: string | undefined
  readonly created_after?: string | undefined
  readonly created_before?: string | undefined
}

/** Notifications that match the filters, newest first. */
export interface FoundNotifications {
  readonly rows: readonly NotificationRow[]
  /**
   * The last examined id if the search reached its limit before finding enough notifications; otherwise `undefined`.
   */
  readonly examinedTo: Uuid | undefined
}

/**
 * The limits on the number of notifications that a search examines. If a search with the first limit reaches this limit
 * before the page is full, the search is repeated with the second limit. The API description of the operation says that
 * there is a limit, but not what the limit is.
 */
const examined = [300, 2_000]

const earlier = (one: Uuid, other: Uuid): Uuid => (one < other ? one : other)

const createValues = () => {
  const values: unknown[] = []
  const add: AddValue = (value) => {
    values.push(value)
    return `$${values.length}`
  }
  return { values, add }
}

/**
 * Reads at most `count` notifications that match the filters, newest first. If `before` is given, reads only
 * notifications older than the one with that UUID.
 * @throws ApiError `not_found` for an unknown project or flow, or `unavailable` for a `target` filter if this process has
 * no digest key. A deleted project or flow is still found as long as it has stored notifications.
 */
export const listNotifications = async (
  on: Queryable,
  deps: { readonly recipients: Recipients },
  principal: Principal,
  filters: NotificationFilters,
  page: { readonly count: number; readonly before: Uuid | undefined },
): Promise<FoundNotifications> => {
  const { target, source_type: sourceType, created_after: after, created_before: until } = filters
  const { userId } = principal
  const search: SearchFilters = {
    userId,
    projectId: filters.project_id === undefined ? principal.projectId : await findProjectId(on, principal, filters.project_id),
    flowId: filters.flow_id === undefined ? undefined : await findFlowId(on, principal, filters.flow_id),
    status: filters.status,
    reference: filters.reference,
    recipient: target === undefined ? undefined : deps.recipients.formsOf(userId, target, sourceType),
    sourceType,
    failureKind: filters.failure_kind,
    failureCode: filters.failure_code,
    from: after === undefined ? lowestUuid : firstUuidOf(new Date(after)),
    before: earlier(page.before ?? highestUuid, until === undefined ? highestUuid : firstUuidOf(new Date(until))),
  }
  const sources = sourcesOf(search)
  const complete = sources.find(({ isComplete }) => isComplete)
  if (complete) return readMatching(on, search, complete, page.count)
  let found: FoundNotifications = { rows: [], examinedTo: undefined }
  for (const limit of examined.filter((number) => number > page.count)) {
    found = await searchMatching(on, search, await selectSource(on, sources, limit), { count: page.count, examined: limit })
    if (found.examinedTo === undefined) break
  }
  return found
}

/**
 * Returns the source with the fewest ids. Counts only the newest `limit` ids of each source, so the query is fast even
 * for large sources. If every source reaches the limit, returns the source with the oldest counted id. The ids of that
 * source are the rarest, because its newest `limit` ids span the longest time.
 */
const selectSource = async (on: Queryable, sources: readonly SearchSource[], limit: number): Promise<SearchSource> => {
  const [first] = sources
  if (!first) throw new Error('No index can serve the search.')
  if (sources.length === 1) return first
  const { values, add } = createValues()
  const counted = sources.map(
    (source, at) => `select ${at} as at, count(*)::int as count, min(id::text) as oldest from (${source.idsOf(add, limit)}) source_${at}`,
  )
  const [row] = await on.query<{ at: number }>(
    `select at from (${counted.join(' union all ')}) counted order by count, oldest, at limit 1`,
    values,
  )
  return sources[row?.at ?? 0] ?? first
}

// Looks up a notification by the id of a row `c`. `limit 1` forces the planner to read `c` first, and then one notification for
// each row. Otherwise, the planner might read all notifications of a project, because its generic plan underestimates their
// number.
const lookup = (conditions: readonly string[]): string =>
  `cross join lateral (select * from notifications n where n.id = c.id and ${conditions.join(' and ')} limit 1) n`

/**
 * Reads notifications from a source that applies every filter. The result is empty if the given flow is not in the
 * given project.
 */
const readMatching = async (on: Queryable, filters: SearchFilters, source: SearchSource, count: number): Promise<FoundNotifications> => {
  const { values, add } = createValues()
  const rows = await on.query<NotificationRow>(
    `select ${notificationColumns} from (${source.idsOf(add, count)}) c ${lookup(notificationConditions(filters, add))} order by c.id desc`,
    values,
  )
  return { rows, examinedTo: undefined }
}

// Examines the source's notifications, newest first, and stops when `count` of them match all filters.
const searchMatching = async (
  on: Queryable,
  filters: SearchFilters,
  source: SearchSource,
  { count, examined: limit }: { readonly count: number; readonly examined: number },
): Promise<FoundNotifications> => {
  const { values, add } = createValues()
  const ids = source.idsOf(add, limit)
  const onNotification = notificationConditions(filters, add)
  const onDelivery = deliveryConditions(filters, add)
  const withDelivery = `cross join lateral (
      select 1 from deliveries d where d.notification_id = c.id and ${onDelivery.join(' and ')} limit 1
    ) matched`
  const rows = await on.query<NotificationRow & { examined_to: Uuid | null }>(
    `with candidates as materialized (${ids})
     (select ${notificationColumns}, null::uuid as examined_to from (select id from candidates order by id desc) c ${lookup(onNotification)}
      ${onDelivery.length > 0 ? withDelivery : ''} order by c.id desc ${pageLimit(add(count))})
     union all
     (select null, null, null, null, null, null, null, null, null, id from candidates order by id limit (case when (select count(*) from candidates) = ${limit} then 1 else 0 end))`,
    values,
  )
  const found = rows.filter(({ examined_to }) => examined_to === null)
  return {
    rows: found,
    examinedTo: found.length < count ? (rows.find(({ examined_to }) => examined_to !== null)?.examined_to ?? undefined) : undefined,
  }
}

// A project or flow belongs to one user, so the next two functions read one row by its id and compare the user. A condition on
// the user would read all notifications or deliveries of another user's project or flow.

/** Returns the UUID of a project. A deleted project is still found as long as it has stored notifications. */
const findProjectId = async (on: Queryable, principal: Principal, id: string): Promise<Uuid> => {
  const uuid = projectUuid(principal, id)
  const [row] = await on.query<{ user_id: string }>(
    `select user_id from projects where id = $1
     union all select user_id from notifications where project_id = $1 limit 1`,
    [uuid],
  )
  if (row?.user_id !== principal.userId) throw notFound()
  return uuid
}

/** Returns the UUID of a flow. A deleted flow is still found as long as it has stored deliveries. */
const findFlowId = async (on: Queryable, principal: Principal, id: string): Promise<Uuid> => {
  const uuid = fromId('flow', id)
  if (uuid === undefined) throw notFound()
  const [row] = await on.query<{ user_id: string; project_id: Uuid }>(
    `select p.user_id, p.id as project_id from flows f join projects p on p.id = f.project_id where f.id = $1
     union all select user_id, project_id from deliveries where flow_id = $1 limit 1`,
    [uuid],
  )
  if (row?.user_id !== principal.userId || (principal.projectId ?? row.project_id) !== row.project_id) throw notFound()
  return uuid
}
