import { randomUUID } from 'node:crypto'
import type { QueryConfig } from 'pg'

/** The user, project and flows of a notification. Flowpost looks them up, but the baseline receives them as input. */
export interface AcceptTarget {
  readonly userId: string
  readonly projectId: string
  readonly flows: readonly { readonly id: string; readonly target: string }[]
}

// UUIDv7 (RFC 9562, section 5.7), like Flowpost's ids, so that the baseline also inserts at the end of its indexes.
const uuidV7 = (): string => {
  const time = Date.now().toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`
}

const columns = 'id uuid, flow_id uuid, target text, content jsonb'

// Inserts the same rows as the server does, except for the job in the queue.
const text = `with notification as (
    insert into notifications (id, user_id, project_id, status, created_at) values ($1, $2, $3, 'queued', $5)
  ), input as materialized (
    select * from jsonb_to_recordset($6::jsonb) as r(${columns})
  ), bodies as (
    insert into message_bodies (notification_id, delivery_id, subject, content) select $1, id, $4, content from input
  )
  insert into deliveries (id, notification_id, user_id, project_id, flow_id, source_type, target, status, captured, cancel_requested,
    attempt_count, created_at)
  select id, $1, $2, $3, flow_id, 'smtp', target, 'queued', false, false, 0, $5 from input`

/** Returns the statement that stores one notification with a delivery per flow. Each connection prepares it once. */
export const acceptStatement = ({ userId, projectId, flows }: AcceptTarget, subject: string, message: string): QueryConfig => {
  const deliveries = flows.map(({ id, target }) => ({ id: uuidV7(), flow_id: id, target, content: { subject, text: message } }))
  return { name: 'accept', text, values: [uuidV7(), userId, projectId, subject, new Date(), JSON.stringify(deliveries)] }
}
