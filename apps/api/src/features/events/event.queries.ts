import type { EventType } from '@flowpost/contract'
import { maxPageBytes } from '@flowpost/contract/rules'
import type { Queryable } from '../../database/database.ts'
import { anyUuid } from '../../database/query-hints.ts'
import type { Uuid } from '../../shared/ids.ts'
import { completeBefore, currentPosition, type FeedPosition } from './position.ts'

/** A stored event. */
export interface EventRow {
  readonly id: Uuid
  /** The event's position in the feed, a 64-bit integer as text; see {@link FeedPosition}. */
  readonly position: string
  readonly type: EventType
  readonly created_at: string
  /** The resource that the event is about, as JSON; `null` if the reader did not request this event type. */
  readonly data: string | null
}

/** An event to store. */
export interface NewEvent {
  readonly id: Uuid
  readonly userId: string
  readonly projectId: Uuid
  readonly type: EventType
  readonly data: string
}

const insert = {
  name: 'insert-events',
  text: `insert into events (id, position, user_id, project_id, type, created_at, data)
    select e.id, ${currentPosition}, e.user_id, e.project_id, e.type, $6::timestamptz, e.data
    from unnest($1::uuid[], $2::text[], $3::uuid[], $4::text[], $5::text[]) as e(id, user_id, project_id, type, data)`,
}

/** Stores events. */
export const insertEvents = async (on: Queryable, events: readonly NewEvent[], now: Date): Promise<void> => {
  await on.query(insert, [
    events.map(({ id }) => id),
    events.map(({ userId }) => userId),
    events.map(({ projectId }) => projectId),
    events.map(({ type }) => type),
    events.map(({ data }) => data),
    now,
  ])
}

const subscriptions = {
  name: 'event-subscriptions',
  text: `select e.project_id, e.user_id, array_agg(distinct t.type) as types
    from event_endpoints e cross join lateral unnest(e.events) as t(type)
    where ${anyUuid('e.project_id', '$1')} and e.active group by e.project_id, e.user_id`,
}

/** The event types to which a project's active endpoints subscribe. */
export interface Subscription {
  readonly project_id: Uuid
  readonly user_id: string
  readonly types: readonly EventType[]
}

/** Reads the event subscriptions of the given projects. Omits projects without active endpoints. */
export const findSubscriptions = (on: Queryable, projectIds: readonly Uuid[]): Promise<Subscription[]> =>
  on.query<Subscription & object>(subscriptions, [projectIds])

/** The maximum number of events that one read examines. */
export const maxExaminedEvents = 1_000

/**
 * Returns a statement that reads the events after a place in the feed, in order, up to {@link completeBefore}. The
 * total size of the data is limited to about {@link maxPageBytes}.
 * @param owner the SQL condition that selects the owner's events. The owner's id is the parameter `$4`.
 */
const readAfter = (owner: string): string => `select id, position, type, created_at, data from (
    select id, position as place, position::text as position, type, created_at, data,
      sum(octet_length(data)) over (order by place, id rows between unbounded preceding and 1 preceding) as bytes_before
    from (
      select id, position, position as place, type, created_at, case when type = any($5::text[]) then data end as data
      from events where ${owner} and (position, id) > ($1::bigint, $2::uuid) and position < ${completeBefore}
      order by position, id limit (select $3::int)
    ) next
  ) sized where coalesce(bytes_before, 0) < ${maxPageBytes} order by place, id`

const readOfUser = { name: 'events-of-user', text: readAfter('user_id = $4') }
const readOfProject = { name: 'events-of-project', text: readAfter('project_id = $4::uuid') }

/** The events to read. */
export interface EventSelection {
  readonly owner: { readonly userId: string } | { readonly projectId: Uuid }
  /** The types of the events to return with their data. Other events are returned without data. */
  readonly types: readonly EventType[]
  readonly after: FeedPosition
  readonly limit: number
}

/** Reads events in feed order. The caller must have checked that the principal may access `owner`. */
export const readEvents = (on: Queryable, { owner, types, after, limit }: EventSelection): Promise<EventRow[]> =>
  'userId' in owner
    ? on.query<EventRow & object>(readOfUser, [after.position, after.id, limit, owner.userId, types])
    : on.query<EventRow & object>(readOfProject, [after.position, after.id, limit, owner.projectId, types])

const existsAfter = (owner: string): string =>
  `select exists (select from events where ${owner} and (position, id) > ($1::bigint, $2::uuid)) as found`
const existsOfUser = { name: 'has-events-of-user', text: existsAfter('user_id = $3') }
const existsOfProject = { name: 'has-events-of-project', text: existsAfter('project_id = $3::uuid') }

/**
 * Returns whether the feed has events after a place, including events that are not readable yet because an older
 * transaction is open.
 */
export const hasEventsAfter = async (on: Queryable, owner: EventSelection['owner'], after: FeedPosition): Promise<boolean> => {
  const [row] =
    'userId' in owner
      ? await on.query<{ found: boolean }>(existsOfUser, [after.position, after.id, owner.userId])
      : await on.query<{ found: boolean }>(existsOfProject, [after.position, after.id, owner.projectId])
  return row?.found ?? false
}

/** Finds the place of a project's event in the feed. */
export const findEventPosition = async (on: Queryable, projectId: Uuid, id: Uuid): Promise<FeedPosition | undefined> => {
  const [row] = await on.query<FeedPosition & object>('select id, position::text from events where id = $1 and project_id = $2', [
    id,
    projectId,
  ])
  return row
}
