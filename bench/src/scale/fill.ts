import type { Client } from 'pg'
import { createRecipients } from '../../../apps/api/src/features/delivery/recipients/recipients.ts'
import { withClient } from '../database/bench-databases.ts'
import { userId } from '../database/seed-projects.ts'

/** The size of a database. */
export interface Size {
  readonly projects: number
  /** The number of past notifications. Each has one delivery and one attempt. */
  readonly notifications: number
}

/** Stores the digest of the measured user's recipient in a session setting. The insert statements read this setting. */
const setDigest = async (client: Client): Promise<void> => {
  const { rows } = await client.query<{ key: Buffer }>('select key from recipient_keys')
  const recipients = createRecipients(rows[0]?.key ?? Buffer.alloc(0), { get: () => undefined, ids: [] })
  const delivery = { user_id: userId, source_type: 'smtp', target: 'ops@example.com' }
  await client.query(`select set_config('bench.digest', $1, false)`, [recipients.digestOf(delivery)])
}

const batchSize = 250_000
const logDays = 80
/** An age, in milliseconds. Only the notifications that {@link addOld} adds are older. */
export const oldMs = 85 * 24 * 3_600_000
/** The age, in days, above which notifications have no message bodies, except those that {@link addOld} adds. */
const contentDays = 30

const timeOrdered = (at: string): string =>
  `(lpad(to_hex((extract(epoch from ${at}) * 1000)::bigint), 12, '0') || '7' || substr(md5(random()::text), 1, 3) || '8' || substr(md5(random()::text), 1, 15))::uuid`

// Inserts every `$3`-th project from number `$1` to number `$2`, each with one flow. The creation times are random times in
// the last two years. Projects whose number is a multiple of `$4` belong to the measured user, who sends all measured
// requests. Every other user has at most ten projects.
const projects = `with created as (
    insert into projects (id, user_id, name, created_at, updated_at)
    select ${timeOrdered('at')}, case when n % $4::int = 0 then '${userId}' else 'user ' || (n / 10) end, 'project ' || n, at, at
    from (select n, now() - interval '730 days' * random() as at from generate_series($1::int, $2::int, $3::int) n) numbers
    returning id, created_at
  )
  insert into flows (id, project_id, name, active, source_type, target, override_target, message_template, message_template_type, created_at, updated_at)
  select ${timeOrdered('created_at')}, id, 'Operations', true, 'smtp', 'ops@example.com', false, '{{subject}}: {{message}}', 'text/plain', created_at, created_at
  from created`

const digest = `case when user_id = '${userId}' then current_setting('bench.digest')::uuid else md5(user_id)::uuid end`

// Half of the measured user's notifications have the same reference. A quarter of all other notifications have a unique
// reference.
const reference = `case when user_id = '${userId}' then case when random() < 0.5 then 'daily-report' end
  when random() < 0.25 then 'order-' || (random() * 1e9)::int end`

/** For each row of `placed`, stores a notification with its delivery and attempt, and its message body if the row is `recent`. */
const stored = `notified as (
    insert into notifications (id, user_id, project_id, status, reference, created_at, settled_at)
    select id, user_id, project_id, status, reference, at, at from placed
  ), delivered as (
    insert into deliveries (id, notification_id, user_id, project_id, flow_id, source_type, target, status, captured, cancel_requested,
      attempt_count, sent_at, settled_at, created_at, failure, recipient_digest)
    select delivery_id, id, user_id, project_id, flow_id, 'smtp', 'ops@example.com', status, false, false, 1,
      case status when 'sent' then at end, at, at,
      case status when 'failed' then '{"kind": "provider", "code": "451", "detail": "4.3.0 Try again later", "retryable": true}'::jsonb end,
      ${digest}
    from placed
  ), indexed as (
    insert into recipient_digests (digest, notification_id, delivery_id, failure_kind, failure_code)
    select ${digest}, id, delivery_id, case status when 'failed' then 'provider' end, case status when 'failed' then '451' end from placed
  ), bodies as (
    insert into message_bodies (notification_id, delivery_id, subject, content)
    select id, delivery_id, 'Invoice 42 is ready',
      '{"subject": "Invoice 42 is ready", "text": "Your invoice of November 2026 is ready. Have a nice day!"}'::jsonb
    from placed where recent
  )
  insert into attempts (id, delivery_id, number, started_at, duration_ms, outcome, provider_response)
  select ${timeOrdered('at')}, delivery_id, 1, at, 20, 'sent', '250 OK' from placed`

const numbered = `create table numbered as
  select row_number() over () as n, p.id, p.user_id, f.id as flow_id from projects p join flows f on f.project_id = p.id where p.user_id like 'user %';
  create unique index on numbered (n);
  create table numbered_own as
  select row_number() over () as n, p.id, p.user_id, f.id as flow_id from projects p join flows f on f.project_id = p.id
  where p.user_id = '${userId}' and p.name in ('one flow', 'three flows') order by f.id;
  analyze numbered; analyze numbered_own`

/**
 * Inserts the notifications with the numbers `$1` to `$2`. Notification 1 is the oldest, and `$3` is the newest. The
 * times are spread evenly over the last 80 days, which is within the default retention of 90 days. `$4` is the number of
 * flows of other users, and `$5` is the share of notifications that belong to the measured user.
 */
const notifications = `with chosen as (
    select n, now() - interval '${logDays} days' * (1 - n::float8 / $3::int) as at, random() < $5::float8 as own,
      (random() * ($4::int - 1))::int + 1 as project, (random() * 3)::int + 1 as own_flow, random() as fate
    from generate_series($1::int, $2::int) n
  ), placed as (
    select ${timeOrdered('at')} as id, ${timeOrdered('at')} as delivery_id, at, user_id, project_id, flow_id,
      case when fate < 0.97 then 'sent' when fate < 0.995 then 'failed' else 'canceled' end as status, ${reference} as reference,
      at > now() - interval '${contentDays} days' as recent
    from (
      select c.at, c.fate, p.user_id, p.id as project_id, p.flow_id from chosen c join numbered p on p.n = c.project where not c.own
      union all select c.at, c.fate, p.user_id, p.id, p.flow_id from chosen c join numbered_own p on p.n = c.own_flow where c.own
    ) both_kinds order by at
  ), ${stored}`

/** Inserts `$1` notifications of other users. They are older than `$2` milliseconds and still have message bodies. */
const oldNotifications = `with placed as (
    select ${timeOrdered('at')} as id, ${timeOrdered('at')} as delivery_id, at, 'user ' || (n * 37 % 100000) as user_id,
      gen_random_uuid() as project_id, gen_random_uuid() as flow_id, 'sent' as status,
      null::text as reference, true as recent
    from (select n, now() - interval '1 ms' * $2::float8 - interval '1 ms' * n as at from generate_series($1::int, 1, -1) n) numbers
  ), ${stored}`
/** Creates the tables `numbered` and `numbered_own`. Returns how many flows belong to users other than the measured user. */
const createNumbered = async (client: Client): Promise<number> => {
  await client.query(numbered)
  const { rows } = await client.query<{ count: number }>('select count(*)::int as count from numbered')
  return rows[0]?.count ?? 0
}

/** The number of notifications that {@link addOwnNewest} adds to the full and to the empty database. */
const ownNewest = 2_500
const ownShare = 0.02

/** Returns `n` such that one in `n` projects belongs to the measured user. */
const ownEvery = ({ projects: count }: Size): number => Math.max(1, Math.floor(count / 1_000))

/** Fills a database with projects and notifications of many users, in about 90 seconds per million notifications. */
export const fillWhole = (databaseUrl: string, size: Size, print: (line: string) => void): Promise<void> =>
  withClient(databaseUrl, async (client) => {
    await client.query('set synchronous_commit = off')
    await setDigest(client)
    for (let from = 1; from <= size.projects; from += batchSize)
      await client.query(projects, [from, Math.min(from + batchSize - 1, size.projects), 1, ownEvery(size)])
    const others = await createNumbered(client)
    for (let from = 1; from <= size.notifications; from += batchSize) {
      const to = Math.min(from + batchSize - 1, size.notifications)
      await client.query(notifications, [from, to, size.notifications, others, ownShare])
      print(`${to} of ${size.notifications} notifications`)
    }
    await client.query('drop table numbered, numbered_own')
  })

/** Creates only the measured user's projects, in the same way as {@link fillWhole}. */
export const fillOwnProjects = (databaseUrl: string, size: Size): Promise<void> =>
  withClient(databaseUrl, async (client) => {
    const every = ownEvery(size)
    await client.query(projects, [every, size.projects, every, every])
  })

/**
 * Creates recent notifications of the measured user, then vacuums the database. The full and the empty database get the same
 * number, so that the first pages of lists are equally long in both.
 */
export const addOwnNewest = (databaseUrl: string, { notifications: count }: Size): Promise<void> =>
  withClient(databaseUrl, async (client) => {
    await setDigest(client)
    const others = await createNumbered(client)
    await client.query(notifications, [count - Math.min(ownNewest, count) + 1, count, count, others, 1])
    await client.query('drop table numbered, numbered_own')
    await client.query('vacuum analyze')
  })

/** Adds `count` notifications whose age is more than `olderThanMs` milliseconds. */
export const addOld = (databaseUrl: string, count: number, olderThanMs: number): Promise<unknown> =>
  withClient(databaseUrl, async (client) => {
    await setDigest(client)
    return client.query(oldNotifications, [count, olderThanMs])
  })
