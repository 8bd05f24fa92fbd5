import { type CaptureMode, type Channels, deliveryCount, refusalOf } from '@flowpost/domain'
import type { Database, Transaction } from '../../database/database.ts'
import type { Queue } from '../../queue/queue.ts'
import { refused } from '../../shared/api-error.ts'
import type { Clock } from '../../shared/clock.ts'
import { newUuid } from '../../shared/ids.ts'
import type { Principal } from '../../shared/principal.ts'
import type { BackPressure } from '../deliveries/back-pressure.ts'
import { enqueueDeliveries } from '../deliveries/delivery-jobs.ts'
import type { Credentials } from '../integrations/credentials.ts'
import { getProject } from '../projects/project-queries.ts'
import { captureDecision } from './capture-decision.ts'
import type { DeliveryRow, NotificationRow } from './notification.wire.ts'
import { embeddedDeliveries } from './notification-queries.ts'
import { planNotification, type SendBody, sendAt } from './plan-notification.ts'
import { triggeredFlows } from './triggered-flows.ts'

/** What accepting needs. */
export interface AcceptDeps {
  readonly database: Database
  readonly queue: Queue
  readonly clock: Clock
  readonly channels: Channels
  readonly credentials: Credentials
  readonly backPressure: BackPressure
  /** Whether subjects and messages are kept beyond delivery. */
  readonly logContent: boolean
  /** Which messages are captured instead of sent. */
  readonly capture: CaptureMode
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
  const flows = await triggeredFlows(transaction, project.id, body.flow_id)
  const plan = planNotification(flows, body, deps.channels)
  const { captured, missing } = await captureDecision(
    transaction,
    deps,
    { userId: principal.userId, projectId: project.id },
    plan.matched.map(({ flow }) => flow.source_type),
  )
  const refusal = refusalOf(plan, missing)
  if (refusal) throw refused(refusal)
  deps.backPressure.admit(deliveryCount(plan))
  const notification: NotificationRow = {
    id: newUuid(),
    project_id: project.id,
    status: 'queued',
    subject: deps.logContent ? body.subject : null,
    created_at: now,
  }
  const deliveries = plan.matched.flatMap(({ flow, content, targets }) =>
    targets.map((target) => ({
      id: newUuid(),
      notification_id: notification.id,
      flow_id: flow.id,
      source_type: flow.source_type,
      target,
      status: 'queued',
      captured: captured.has(flow.source_type),
      attempt_count: 0,
      next_attempt_at: at ?? null,
      sent_at: null,
      provider_message_id: null,
      failure: null,
      content,
    })),
  )
  await store(transaction, principal, notification, deliveries)
  await enqueueDeliveries(
    transaction,
    deps.queue,
    deliveries.map(({ id, source_type }) => ({ id, source_type, project_id: project.id, runAt: at })),
  )
  return { notification, deliveries: deliveries.slice(0, embeddedDeliveries) }
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
