import { type CaptureMode, type Channels, deliveryCount, type RenderedContent, refusalOf } from '@flowpost/domain'
import { refused } from '../../shared/api-error.ts'
import type { Clock } from '../../shared/clock.ts'
import { newUuid, type Uuid } from '../../shared/ids.ts'
import type { BackPressure } from '../deliveries/back-pressure.ts'
import type { CandidateFlow } from '../flows/flow.wire.ts'
import { captureDecision, type HasCredential } from './capture-decision.ts'
import type { DeliveryRow, NotificationRow } from './notification.wire.ts'
import { planNotification, type SendBody, sendAt, type TemplatesOf } from './plan-notification.ts'

/** What preparing needs. */
export interface PrepareDeps {
  readonly clock: Clock
  readonly channels: Channels
  readonly backPressure: BackPressure
  /** Whether subjects and messages are kept beyond delivery. */
  readonly logContent: boolean
  /** Which messages are captured instead of sent. */
  readonly capture: CaptureMode
}

/** What is known of the project that a notification is for. */
export interface Circumstances {
  readonly userId: string
  readonly projectId: Uuid
  /** The flows that the notification may trigger. */
  readonly flows: readonly CandidateFlow[]
  readonly templatesOf: TemplatesOf
  readonly hasCredential: HasCredential
}

/** A notification as it is to be stored. */
export interface PreparedNotification {
  readonly userId: string
  readonly notification: NotificationRow
  readonly deliveries: readonly (DeliveryRow & { readonly content: RenderedContent })[]
  /** Not before this; `undefined`: now. */
  readonly at: Date | undefined
}

/**
 * Decides everything about a notification, so that only storing it is left.
 * @param look Finds what is known of the project. Called once the request itself has no fault.
 * @throws ApiError for everything that the rules refuse.
 */
export const prepareNotification = async (
  deps: PrepareDeps,
  body: SendBody,
  look: () => Promise<Circumstances>,
  onRendered: (bytes: number) => void = () => {},
): Promise<PreparedNotification> => {
  const now = deps.clock.now()
  const at = sendAt(body, now)
  const known = await look()
  const plan = await planNotification(known.flows, body, deps.channels, known.templatesOf, onRendered)
  const { captured, missing } = await captureDecision(
    deps.capture,
    plan.matched.map(({ flow }) => flow.source_type),
    known.hasCredential,
  )
  const refusal = refusalOf(plan, missing)
  if (refusal) throw refused(refusal)
  deps.backPressure.admit(known.userId, deliveryCount(plan), at)
  const notification: NotificationRow = {
    id: newUuid(),
    project_id: known.projectId,
    status: 'queued',
    subject: deps.logContent ? body.subject : null,
    created_at: now.toISOString(),
  }
  const nextAttemptAt = at?.toISOString() ?? null
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
      next_attempt_at: nextAttemptAt,
      sent_at: null,
      provider_message_id: null,
      failure: null,
      content,
    })),
  )
  return { userId: known.userId, notification, deliveries, at }
}
