import type { NamedStatement, Queryable } from '../../database/database.ts'
import { isOneOf } from '../../database/planner.ts'
import type { KeyedAnswer } from '../../http/idempotency.ts'
import type { Queue } from '../../queue/queue.ts'
import type { Uuid } from '../../shared/ids.ts'
import { priorityBehind } from '../deliveries/delivery-jobs.ts'
import type { PreparedNotification } from './prepare-notification.ts'

/** A notification to store, with the answer to be kept under its idempotency key. */
export interface StoredNotification {
  readonly prepared: PreparedNotification
  readonly keyed?: KeyedAnswer | undefined
}

const storing = `locked as materialized (
    select id from projects where ${isOneOf('id', '$1')} order by id for key share
  ), given as materialized (
    select * from json_to_recordset($2::json) as r(id uuid, notification_id uuid, user_id text, project_id uuid, flow_id uuid,
      source_type text, target text, captured boolean, next_attempt_at timestamptz, content jsonb, created_at timestamptz, priority int,
      is_first boolean, subject text)
  ), notified as (
    insert into notifications (id, user_id, project_id, status, created_at)
    select notification_id, user_id, project_id, 'queued', created_at from given where is_first
  ), delivered as (
    insert into deliveries (id, notification_id, user_id, project_id, flow_id, source_type, target, status, captured, cancel_requested,
      attempt_count, next_attempt_at, created_at)
    select id, notification_id, user_id, project_id, flow_id, source_type, target, 'queued', captured, false, 0, next_attempt_at, created_at
    from given
  ), contained as (
    insert into contents (notification_id, delivery_id, subject, content) select notification_id, id, subject, content from given
  )`

// A job calls for each delivery, under its id.
const toQueue = `(select id as key, user_id as owner, project_id::text as "group", source_type as tag, priority, next_attempt_at as run_at
      from given) as calls`

// The locks first: whoever has written a key and not committed holds its lock, so nobody waits for anybody.
const keeping = `free as materialized (
    select pg_try_advisory_xact_lock(lock) as free from json_to_recordset($3::json) as r(lock bigint)
  ), kept as (
    insert into idempotency_keys (user_id, operation, key, fingerprint, status, headers, body, created_at)
    select user_id, operation, key, decode(fingerprint, 'hex'), status, headers, body, created_at
    from json_to_recordset($3::json) as r(user_id text, operation text, key text, fingerprint text, status int, headers jsonb, body text,
      created_at timestamptz)
    where (select bool_and(free) from free)
    on conflict (user_id, operation, key) do update set fingerprint = excluded.fingerprint, status = excluded.status,
      headers = excluded.headers, body = excluded.body, created_at = excluded.created_at
      where idempotency_keys.created_at <= $4
    returning 1
  )`

const projectsAreThere = '(select count(*) from locked) = cardinality($1::uuid[])'
const keysAreOurs = '(select count(*) from kept) = json_array_length($3::json)'

/** Divides by zero, and so undoes everything, when something does not hold. */
const unless = (condition: string): string => `select 1 / (case when ${condition} then 1 else 0 end) as whole`

interface Statements {
  readonly plain: NamedStatement
  readonly keyed: NamedStatement
}

const made = new WeakMap<Queue, Statements>()

/** The statements with the part that the queue has in them. */
const statementsFor = (queue: Queue): Statements => {
  const known = made.get(queue)
  if (known) return known
  const queued = `queued as (${queue.insertFrom(toQueue)})`
  const statements = {
    plain: { name: 'accept', text: `with ${storing}, ${queued} ${unless(projectsAreThere)}` },
    keyed: { name: 'accept-keyed', text: `with ${storing}, ${keeping}, ${queued} ${unless(`${projectsAreThere} and ${keysAreOurs}`)}` },
  }
  made.set(queue, statements)
  return statements
}

// A notification comes with the first of its deliveries, of which it has one at least.
const deliveryRows = ({ userId, notification, deliveries }: PreparedNotification, priority: number) =>
  deliveries.map(({ id, flow_id, source_type, target, captured, next_attempt_at, content }, position) => ({
    id,
    notification_id: notification.id,
    user_id: userId,
    project_id: notification.project_id,
    flow_id,
    source_type,
    target,
    captured,
    next_attempt_at,
    subject: notification.subject,
    content,
    created_at: notification.created_at,
    priority,
    is_first: position === 0,
  }))

/** The deliveries of all; each stands behind what its project has waiting: see `delivery-jobs.ts`. */
const rowsOf = (prepared: readonly PreparedNotification[], backlog: ReadonlyMap<Uuid, number>) => {
  const waiting = new Map(backlog)
  return prepared.flatMap((each) => {
    const projectId = each.notification.project_id
    const behind = (waiting.get(projectId) ?? 0) + each.deliveries.length
    waiting.set(projectId, behind)
    return deliveryRows(each, priorityBehind(behind))
  })
}

const keyRow = ({ id, fingerprint, lock, status, headers, body, createdAt }: KeyedAnswer) => ({
  user_id: id[0],
  operation: id[1],
  key: id[2],
  fingerprint: fingerprint.toString('hex'),
  lock,
  status,
  headers,
  body,
  created_at: createdAt,
})

/**
 * Stores notifications, a job for each of their deliveries and the answers under their idempotency keys, all in one
 * statement or none of it: it fails when a project is gone, and when a key is in use by somebody else, now or lately.
 * The projects stay locked against deletion until it commits, so that nothing is left of one that is gone.
 * @param backlog how many deliveries each project has waiting already.
 * @param oldest answers from before this are no longer kept.
 */
export const storeNotifications = async (
  on: Queryable,
  queue: Queue,
  batch: readonly StoredNotification[],
  backlog: ReadonlyMap<Uuid, number>,
  oldest: Date,
): Promise<void> => {
  const prepared = batch.map((each) => each.prepared)
  const keys = batch.flatMap(({ keyed }) => keyed ?? [])
  const values = [[...new Set(prepared.map(({ notification }) => notification.project_id))], JSON.stringify(rowsOf(prepared, backlog))]
  const { plain, keyed } = statementsFor(queue)
  await (keys.length === 0 ? on.query(plain, values) : on.query(keyed, [...values, JSON.stringify(keys.map(keyRow)), oldest]))
}
