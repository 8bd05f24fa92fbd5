import { withClient } from '../database/bench-databases.ts'

/** How much there is. */
export interface Size {
  readonly projects: number
  /** Notifications of the past, each with one delivery and one attempt. */
  readonly notifications: number
}

const atATime = 250_000

const timeOrdered = (at: string): string =>
  `(lpad(to_hex((extract(epoch from ${at}) * 1000)::bigint), 12, '0') || '7' || substr(md5(random()::text), 1, 3) || '8' || substr(md5(random()::text), 1, 15))::uuid`

const projects = `with made as (
    insert into projects (id, user_id, name, created_at, updated_at)
    select gen_random_uuid(), 'user ' || (n / 10), 'project ' || n, now(), now() from generate_series($1::int, $2::int) n returning id
  )
  insert into flows (id, project_id, name, active, source_type, target, override_target, message_template, message_template_type, created_at, updated_at)
  select gen_random_uuid(), id, 'Operations', true, 'smtp', 'ops@example.com', false, '{{subject}}: {{message}}', 'text/plain', now(), now() from made`

// The last 80 days, oldest first, as the log of a deployment that keeps 90 is.
const notifications = `with chosen as (
    select n, now() - interval '80 days' * (1 - n::float8 / $3::int) as at, (random() * ($4::int - 1))::int + 1 as project
    from generate_series($1::int, $2::int) n
  ), placed as (
    select ${timeOrdered('at')} as id, ${timeOrdered('at')} as delivery_id, at, p.user_id, p.id as project_id, p.flow_id
    from chosen join numbered p on p.n = chosen.project
  ), notified as (
    insert into notifications (id, user_id, project_id, status, subject, created_at, settled_at)
    select id, user_id, project_id, 'sent', null, at, at from placed
  ), delivered as (
    insert into deliveries (id, notification_id, user_id, project_id, flow_id, source_type, target, status, captured, cancel_requested,
      attempt_count, sent_at, settled_at, created_at)
    select delivery_id, id, user_id, project_id, flow_id, 'smtp', 'ops@example.com', 'sent', false, false, 1, at, at, at from placed
  )
  insert into attempts (id, delivery_id, number, started_at, duration_ms, outcome, provider_response)
  select ${timeOrdered('at')}, delivery_id, 1, at, 20, 'sent', '250 OK' from placed`

/** Fills a database with projects of many users and the log of what they have sent. Takes about a minute for each million. */
export const fill = (databaseUrl: string, size: Size, say: (line: string) => void): Promise<void> =>
  withClient(databaseUrl, async (client) => {
    await client.query('set synchronous_commit = off')
    for (let from = 1; from <= size.projects; from += atATime)
      await client.query(projects, [from, Math.min(from + atATime - 1, size.projects)])
    await client.query(`create table numbered as select row_number() over () as n, p.id, p.user_id, f.id as flow_id
      from projects p join flows f on f.project_id = p.id where p.user_id like 'user %'`)
    await client.query('create unique index on numbered (n)')
    await client.query('analyze')
    for (let from = 1; from <= size.notifications; from += atATime) {
      const to = Math.min(from + atATime - 1, size.notifications)
      await client.query(notifications, [from, to, size.notifications, size.projects])
      say(`${to} of ${size.notifications} notifications`)
    }
    await client.query('drop table numbered')
    await client.query('vacuum analyze')
  })
