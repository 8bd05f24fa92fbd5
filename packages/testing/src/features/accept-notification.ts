import { rejected } from '@flowpost/contract/rules'
import { aggregateStatus, createAddressRedactor, recipientKey, rejectionOf, suppressedFailure } from '@flowpost/domain'
import type { Principal } from '../http/handler.ts'
import { channelsOf, type MockContext, timestamp } from '../state/mock-context.ts'
import type { DeliveryRecord, NotificationRecord } from '../state/store.ts'
import {
  decidePlanCapture,
  matchingFlows,
  parseSchedule,
  planNotification,
  resolveProjectAndFlow,
  type SendBody,
} from './plan-notification.ts'
import { findProject } from './projects.ts'
import { requireQueueSpace } from './queue-limit.ts'
import { findSuppression } from './suppressions.ts'

/**
 * Validates, plans and stores a notification with all its deliveries.
 *
 * @throws {ApiError} When the notification is rejected, for example because the project does not exist or the queue is
 * full. Nothing is stored.
 */
export const acceptNotification = (context: MockContext, principal: Principal, request: SendBody): NotificationRecord => {
  const body = resolveProjectAndFlow(context, principal, request)
  const { at, expiresAt } = parseSchedule(context, body)
  const project = findProject(context, principal, body.project_id)
  const plan = planNotification(context, matchingFlows(context, project.id, body.flow_id), body)
  const { captured, missing } = decidePlanCapture(context, principal, project.id, plan)
  const rejection = rejectionOf(plan, missing)
  if (rejection) throw rejected(rejection)
  const isSuppressed = (source_type: string, target: string) => findSuppression(context, project.id, { source_type, target })
  const open = plan.matched.flatMap(({ flow, targets }) => targets.filter((target) => !isSuppressed(flow.source_type, target)))
  requireQueueSpace(context, { userId: principal.userId, count: open.length, scheduled: at !== undefined })

  const erased = plan.matched.flatMap(({ flow: { source_type }, targets }) =>
    targets.flatMap((target) => {
      const replacement = isSuppressed(source_type, target)?.target
      return replacement?.startsWith('erased:')
        ? [createAddressRedactor(recipientKey(channelsOf(context), source_type, target), replacement)]
        : []
    }),
  )
  const redact = <T>(value: T): T => erased.reduce((redacted, { redactJson }) => redactJson(redacted), value)

  const notification: NotificationRecord = {
    id: context.generateId('notification'),
    userId: principal.userId,
    project_id: project.id,
    request: { flow_id: body.flow_id ?? null, has_target: body.target !== undefined },
    status: 'queued',
    subject: body.subject,
    test: principal.mode === 'test',
    reference: redact(body.reference ?? null),
    metadata: redact(body.metadata ?? {}),
    created_at: timestamp(context),
    expires_at: expiresAt === undefined ? null : timestamp(context, expiresAt),
    sendAt: at ?? null,
    deliveries: [],
    isRecorded: false,
  }
  for (const { flow, content, targets } of plan.matched)
    for (const target of targets) {
      const suppression = isSuppressed(flow.source_type, target)
      const isErased = suppression?.target.startsWith('erased:')
      const delivery: DeliveryRecord = {
        id: context.generateId('delivery'),
        notification,
        flow_id: flow.id,
        source_type: flow.source_type,
        target: isErased && suppression ? suppression.target : target,
        status: suppression ? 'failed' : 'queued',
        captured: captured.has(flow.source_type),
        attempt_count: 0,
        next_attempt_at: at === undefined || suppression ? null : timestamp(context, at),
        sent_at: null,
        provider_message_id: null,
        failure: suppression ? suppressedFailure : null,
        receipt: null,
        content: isErased ? null : content,
        attempts: [],
        firstAttemptAt: null,
        attemptsBeforeBudget: 0,
        isRecorded: false,
        cancelRequested: false,
        isCredentialRemoved: false,
      }
      notification.deliveries.push(delivery)
    }
  notification.status = aggregateStatus(notification.deliveries.map(({ status }) => status))
  if (notification.deliveries.every(({ content }) => content === null)) notification.subject = null
  context.store.notifications.set(notification.id, notification)
  return notification
}
