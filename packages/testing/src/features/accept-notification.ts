import { rejected } from '@flowpost/contract/rules'
import { countDeliveries, rejectionOf } from '@flowpost/domain'
import type { Principal } from '../http/handler.ts'
import { type MockContext, timestamp } from '../state/mock-context.ts'
import type { DeliveryRecord, NotificationRecord } from '../state/store.ts'
import { decidePlanCapture, matchingFlows, parseSchedule, planNotification, resolveKeys, type SendBody } from './plan-notification.ts'
import { findProject } from './projects.ts'
import { requireQueueSpace } from './queue-limit.ts'

/**
 * Validates, plans and stores a notification with all its deliveries.
 *
 * @throws {ApiError} When a rule rejects the notification, which is then not stored.
 */
export const acceptNotification = (context: MockContext, principal: Principal, request: SendBody): NotificationRecord => {
  const body = resolveKeys(context, principal, request)
  const { at, expiresAt } = parseSchedule(body, context.clock.now())
  const project = findProject(context, principal, body.project_id)
  const plan = planNotification(context, matchingFlows(context, project.id, body.flow_id), body)
  const { captured, missing } = decidePlanCapture(context, principal, project.id, plan)
  const rejection = rejectionOf(plan, missing)
  if (rejection) throw rejected(rejection)
  requireQueueSpace(context, { userId: principal.userId, count: countDeliveries(plan), scheduled: at !== undefined })

  const notification: NotificationRecord = {
    id: context.generateId('notification'),
    userId: principal.userId,
    project_id: project.id,
    status: 'queued',
    subject: body.subject,
    test: principal.mode === 'test',
    reference: body.reference ?? null,
    metadata: body.metadata ?? {},
    created_at: timestamp(context),
    expires_at: expiresAt === undefined ? null : timestamp(context, expiresAt),
    deliveries: [],
  }
  for (const { flow, content, targets } of plan.matched)
    for (const target of targets) {
      const delivery: DeliveryRecord = {
        id: context.generateId('delivery'),
        notification,
        flow_id: flow.id,
        source_type: flow.source_type,
        target,
        status: 'queued',
        captured: captured.has(flow.source_type),
        attempt_count: 0,
        next_attempt_at: at === undefined ? null : timestamp(context, at),
        sent_at: null,
        provider_message_id: null,
        failure: null,
        content,
        attempts: [],
        firstAttemptAt: null,
        attemptsBeforeBudget: 0,
        cancelRequested: false,
        isCredentialRemoved: false,
      }
      notification.deliveries.push(delivery)
    }
  context.store.notifications.set(notification.id, notification)
  return notification
}
