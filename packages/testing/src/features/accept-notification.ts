import { rejected } from '@flowpost/contract/rules'
import { countDeliveries, rejectionOf } from '@flowpost/domain'
import type { Principal } from '../http/call.ts'
import type { DeliveryRecord, NotificationRecord } from '../state/records.ts'
import { timestamp, type World } from '../state/world.ts'
import { captureDecision } from './credentials.ts'
import { planNotification, type SendBody, sendAt, triggeredFlows } from './plan-notification.ts'
import { findProject } from './projects.ts'
import { requireRoom } from './queue-limit.ts'

/**
 * Accepts a notification: all of it is stored, or nothing is.
 * @throws ApiError for everything that the rules refuse.
 */
export const acceptNotification = (world: World, principal: Principal, body: SendBody): NotificationRecord => {
  const at = sendAt(body, world.clock.now())
  const project = findProject(world, principal, body.project_id)
  const plan = planNotification(world, triggeredFlows(world, project.id, body.flow_id), body)
  const sourceTypes = plan.matched.map(({ flow }) => flow.source_type)
  const { captured, missing } = captureDecision(world, project.id, sourceTypes)
  const refusal = rejectionOf(plan, missing)
  if (refusal) throw rejected(refusal)
  requireRoom(world, countDeliveries(plan))

  const notification: NotificationRecord = {
    id: world.makeId('notification'),
    userId: principal.userId,
    project_id: project.id,
    status: 'queued',
    subject: body.subject,
    created_at: timestamp(world),
    deliveries: [],
  }
  for (const { flow, content, targets } of plan.matched)
    for (const target of targets) {
      const delivery: DeliveryRecord = {
        id: world.makeId('delivery'),
        notification,
        flow_id: flow.id,
        source_type: flow.source_type,
        target,
        status: 'queued',
        captured: captured.has(flow.source_type),
        attempt_count: 0,
        next_attempt_at: at === undefined ? null : timestamp(world, at),
        sent_at: null,
        provider_message_id: null,
        failure: null,
        content,
        attempts: [],
        firstAttemptAt: null,
        cancelRequested: false,
      }
      notification.deliveries.push(delivery)
    }
  world.store.notifications.set(notification.id, notification)
  return notification
}
