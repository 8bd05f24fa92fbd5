import type { Database, Queryable, Transaction } from '../../database/database.ts'
import type { Queue } from '../../queue/queue.ts'
import { ApiError, notFound } from '../../shared/api-error.ts'
import type { Clock } from '../../shared/clock.ts'
import { fromId, newUuid, toId, type Uuid } from '../../shared/ids.ts'
import type { Principal } from '../../shared/principal.ts'
import type { Channels } from '../flows/channels.ts'
import { candidateFlows } from '../flows/flow-queries.ts'
import type { Credentials } from '../integrations/credentials.ts'
import { getProject } from '../projects/project-queries.ts'
import type { DeliveryRow, NotificationRow } from './notification.wire.ts'
import { embeddedDeliveries } from './notification-queries.ts'
import { type PlannedDelivery, planNotification, type SendBody, sendAt } from './plan-notification.ts'

/** What accepting needs. */
export interface AcceptDeps {
  readonly database: Database
  readonly queue: Queue
  readonly clock: Clock
  readonly channels: Channels
  readonly credentials: Credentials
  /** Which messages are captured instead of sent. */
  readonly capture: 'on' | 'off' | 'missing'
}

/** A notification that was accepted, with the deliveries that its representation embeds. */
export interface AcceptedNotification {
  readonly notification: NotificationRow
  readonly deliveries: readonly DeliveryRow[]
}

/**
 * Accepts a notification in the caller's transaction: everything is stored, and a job for each
 * delivery, or nothing is. The caller wakes the queue once it has committed.
 * @throws ApiError for everything that the rules refuse.
 */
export const acceptNotification = async (
  transaction: Transaction,
  deps: AcceptDeps,
  principal: Principal,
  body: SendBody,
): Promise<AcceptedNotification> => {
  const now = deps.clock.now()
  const at = sendAt(body, now)
  // Deleting the project waits for us, or we find it deleted: no delivery is made for a project that is gone.
  const project = await getProject(transaction, principal, body.project_id, 'share')
  const flows = await flowsOf(transaction, project.id, body.flow_id)
  const planned = planNotification(flows, body, deps.channels)
  const captured = await decideCapture(deps, principal, planned)
  const notification: NotificationRow = { id: newUuid(), project_id: project.id, status: 'queued', subject: body.subject, created_at: now }
  const deliveries = planned.map((each) => ({
    id: newUuid(),
    notification_id: notification.id,
    flow_id: each.flow.id,
    source_type: each.sourceType,
    target: each.target,
    status: 'queued',
    captured: captured.has(each.sourceType),
    attempt_count: 0,
    next_attempt_at: at ?? null,
    sent_at: null,
    provider_message_id: null,
    failure: null,
    content: each.content,
  }))
  await store(transaction, principal, notification, deliveries)
  await deps.queue.enqueue(
    transaction,
    deliveries.map(({ id }) => ({ key: id, ...(at ? { runAt: at } : {}) })),
  )
  return { notification, deliveries: deliveries.slice(0, embeddedDeliveries) }
}

const flowsOf = async (on: Queryable, projectId: Uuid, flowId: string | undefined) => {
  const uuid = flowId === undefined ? undefined : fromId('flow', flowId)
  if (flowId !== undefined && uuid === undefined) throw notFound()
  const flows = await candidateFlows(on, projectId, uuid)
  if (uuid !== undefined && flows.length === 0) throw notFound()
  return flows
}

/** The providers whose messages are captured. @throws ApiError `integration_missing` when one can neither send nor be captured. */
const decideCapture = async (deps: AcceptDeps, principal: Principal, planned: readonly PlannedDelivery[]): Promise<Set<string>> => {
  const captured = new Set<string>()
  const missing: PlannedDelivery[] = []
  for (const [sourceType, deliveries] of Map.groupBy(planned, (each) => each.sourceType)) {
    const credential = await deps.credentials.find({ userId: principal.userId, sourceType })
    if (deps.capture === 'on' || (deps.capture === 'missing' && !credential)) captured.add(sourceType)
    else if (!credential) missing.push(...deliveries)
  }
  if (missing.length > 0) {
    const flows = [...new Set(missing.map(({ flow, sourceType }) => `${toId('flow', flow.id)} (${sourceType})`))]
    throw new ApiError('integration_missing', `There are no credentials to deliver with for ${flows.slice(0, 10).join(', ')}.`)
  }
  return captured
}

const store = async (
  transaction: Transaction,
  principal: Principal,
  notification: NotificationRow,
  deliveries: readonly object[],
): Promise<void> => {
  const { id, project_id, status, subject, created_at } = notification
  await transaction.query(
    `with notification as (
       insert into notifications (id, user_id, project_id, status, subject, created_at) values ($1, $2, $3, $4, $5, $6)
     )
     insert into deliveries (id, notification_id, user_id, project_id, flow_id, source_type, target, status, captured, cancel_requested,
       attempt_count, next_attempt_at, content, created_at)
     select r.id, $1, $2, $3, r.flow_id, r.source_type, r.target, 'queued', r.captured, false, 0, r.next_attempt_at, r.content, $6
     from jsonb_to_recordset($7::jsonb)
       as r(id uuid, flow_id uuid, source_type text, target text, captured boolean, next_attempt_at timestamptz, content jsonb)`,
    [id, principal.userId, project_id, status, subject, created_at, JSON.stringify(deliveries)],
  )
}
