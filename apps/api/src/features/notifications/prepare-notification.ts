import { aggregateStatus, type CaptureMode, type Channels, type DeliveryStatus, type RenderedContent, rejectionOf } from '@flowpost/domain'
import { rejected } from '../../shared/api-error.ts'
import type { Clock } from '../../shared/clock.ts'
import { fromId, newUuid, newUuidAt, type Uuid } from '../../shared/ids.ts'
import type { RecipientDigest, Recipients } from '../delivery/recipients/recipients.ts'
import { applySuppressions, createErasedRedactor } from './apply-suppressions.ts'
import type { DeliveryRow, NotificationRow } from './notification.serializer.ts'
import { parseSchedule, planCapture, planNotification, requireKnownSimulations, type Schedule, type SendBody } from './plan-notification.ts'
import type { SendContext } from './send-context.ts'

/** The dependencies of {@link prepareNotification}. */
export interface PrepareDeps {
  readonly clock: Clock
  readonly channels: Channels
  /** Whether subjects and messages remain stored after the deliveries are completed. */
  readonly logContent: boolean
  readonly capture: CaptureMode
  readonly recipients: Recipients
}

/** A notification that is ready to be stored. */
export interface PreparedNotification extends Schedule {
  readonly userId: string
  readonly projectId: Uuid
  readonly notification: NotificationRow
  readonly deliveries: readonly PreparedDelivery[]
  /** The flow that the request names; `undefined` if it names none. */
  readonly namedFlowId: Uuid | undefined
  /** Whether the request has a `target`. */
  readonly hasTarget: boolean
}

/** A delivery that is ready to be stored. */
export interface PreparedDelivery extends DeliveryRow {
  /** The rendered message; `null` if it must not be stored. */
  readonly content: RenderedContent | null
  /** The digest by which suppressions identify the recipient; absent if the project suppresses nobody. */
  readonly identity?: RecipientDigest
  /**
   * The digest by which searches find the delivery. A delivery gets this digest only when it is completed, so the digest is
   * set here only if a suppression makes the delivery fail at once.
   */
  readonly digest?: RecipientDigest | null
}

/**
 * Plans and renders a notification completely. Storing it is the only remaining step.
 * @param load loads the settings. It is called only if the schedule is valid.
 * @param onRendered called with the number of rendered bytes.
 * @throws ApiError when a rule rejects the request.
 */
export const prepareNotification = async (
  deps: PrepareDeps,
  body: SendBody,
  load: () => Promise<SendContext>,
  onRendered: (bytes: number) => void,
): Promise<PreparedNotification> => {
  const now = deps.clock.now()
  const { at, expiresAt } = parseSchedule(body, now, deps.channels)
  const { userId, projectId, flows, loadTemplates, hasCredential, findSuppressed, test } = await load()
  const plan = await planNotification(flows, body, deps.channels, loadTemplates, onRendered)
  if (test) requireKnownSimulations(plan, deps.channels)
  const sourceTypes = plan.matched.map(({ flow }) => flow.source_type)
  const { captured, missing } = await planCapture(test ? 'on' : deps.capture, sourceTypes, hasCredential)
  const rejection = rejectionOf(plan, missing)
  if (rejection) throw rejected(rejection)
  const nextAttemptAt = at?.toISOString() ?? null
  // The id contains the time of acceptance, because a search by time compares ids.
  const notificationId = newUuidAt(now)
  const planned = plan.matched.flatMap(({ flow, content, targets }) =>
    targets.map((target) => ({
      id: newUuid(),
      notification_id: notificationId,
      flow_id: flow.id,
      source_type: flow.source_type,
      target,
      status: 'queued',
      captured: captured.has(flow.source_type),
      attempt_count: 0,
      next_attempt_at: nextAttemptAt,
      sent_at: null,
      provider_message_id: null,
      failure: null,
      receipt: null,
      content,
    })),
  )
  const suppressionOf = await findSuppressed?.(planned)
  const deliveries = suppressionOf ? applySuppressions(deps, userId, planned, suppressionOf) : planned
  const redact = suppressionOf ? createErasedRedactor(deps.channels, planned, suppressionOf) : <T>(value: T): T => value
  const notification: NotificationRow = {
    id: notificationId,
    project_id: projectId,
    status: suppressionOf ? aggregateStatus(deliveries.map(({ status }) => status as DeliveryStatus)) : 'queued',
    // The subject is stored with each message. If no message is stored, neither is the subject.
    subject: deps.logContent && deliveries.some(({ content }) => content) ? body.subject : null,
    test,
    reference: redact(body.reference ?? null),
    metadata: redact(body.metadata ?? null),
    created_at: now.toISOString(),
    expires_at: expiresAt?.toISOString() ?? null,
  }
  const namedFlowId = body.flow_id === undefined ? undefined : fromId('flow', body.flow_id)
  return { userId, projectId, notification, deliveries, namedFlowId, hasTarget: body.target !== undefined, at, expiresAt }
}
