import { Client } from 'pg'
import { newUuid } from '../../../../apps/api/src/shared/ids.ts'

// The statements name only the columns that exist before this release's migrations.
const findFlow = 'select p.user_id, f.id, f.source_type, f.target from projects p join flows f on f.project_id = p.id where p.id = $1'

const accept = `with notified as (
    insert into notifications (id, user_id, project_id, status, created_at) values ($1, $2, $3, 'queued', now())
  ), delivered as (
    insert into deliveries (id, notification_id, user_id, project_id, flow_id, source_type, target, status, captured, cancel_requested,
      attempt_count, created_at)
    values ($4, $1, $2, $3, $5, $6, $7, 'queued', false, false, 0, now())
  ), bodies as (
    insert into message_bodies (notification_id, delivery_id, subject, content) values ($1, $4, 'Invoice 42 is ready', '{"text": "Hello"}')
  )
  insert into delivery_jobs (delivery_id, user_id, project_id, source_type, due_at) values ($4, $2, $3, $6, now())`

const start = `with started as (update deliveries set status = 'sending', attempt_count = 1, attempt_id = $2 where id = $1)
  insert into attempts (id, delivery_id, number, started_at, outcome) values ($2, $1, 1, now(), 'started')`

const finish = `with recorded as (update attempts set outcome = 'sent', duration_ms = 20 where id = $2),
  delivered as (update deliveries set status = 'sent', sent_at = now(), settled_at = now() where id = $1),
  notified as (update notifications set status = 'sent', settled_at = now() where id = $3)
  delete from delivery_jobs where delivery_id = $1`

/** Stores messages with the statements that the previous release's server and worker use. */
export interface StatementMessages {
  /** Accepts and delivers one message of a random project, with four statements that are committed separately. */
  send(): Promise<void>
  close(): Promise<void>
}

/** Connects to a database that has the tables of the previous release. */
export const openStatementMessages = async (databaseUrl: string): Promise<StatementMessages> => {
  const client = new Client({ connectionString: databaseUrl, application_name: 'flowpost-bench' })
  await client.connect()
  const { rows: projects } = await client.query<{ id: string }>('select id from projects limit 1000')
  return {
    send: async () => {
      const project = projects[Math.floor(Math.random() * projects.length)]?.id
      const [notification, delivery, attempt] = [newUuid(), newUuid(), newUuid()]
      const { rows } = await client.query<{ user_id: string; id: string; source_type: string; target: string }>(findFlow, [project])
      const flow = rows[0]
      await client.query(accept, [notification, flow?.user_id, project, delivery, flow?.id, flow?.source_type, flow?.target])
      await client.query(start, [delivery, attempt])
      await client.query(finish, [delivery, attempt, notification])
    },
    close: () => client.end(),
  }
}
