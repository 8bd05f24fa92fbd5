import type { ChannelKind } from '@flowpost/domain'
import { type MockContext, providerOf, timestamp } from '../state/mock-context.ts'
import type { DeliveryRecord } from '../state/store.ts'

/** A rendered message as a provider would have received it. */
export interface SentMessage {
  readonly notification_id: string
  readonly delivery_id: string
  readonly project_id: string
  readonly flow_id: string
  /** The name of the flow when the message was sent; `null` if the flow had been deleted. */
  readonly flow_name: string | null
  readonly source_type: string
  /** The kind of the provider: email or chat. */
  readonly kind: ChannelKind
  /** The recipient. */
  readonly target: string
  /** The subject. Slack, Discord and Teams do not receive it. */
  readonly subject: string
  /** The text of a chat message or plain email, or the text alternative of an HTML email. */
  readonly text: string
  /** The HTML body of an email with a `text/html` template; `null` for other messages. */
  readonly html: string | null
  /** Whether the message was captured instead of sent. */
  readonly captured: boolean
  /** The number of the successful attempt, starting at 1. */
  readonly attempt: number
  readonly sent_at: string
}

/** Creates the outbox entry for a delivery that has just been sent. */
export const toSentMessage = (context: MockContext, delivery: DeliveryRecord): SentMessage => ({
  notification_id: delivery.notification.id,
  delivery_id: delivery.id,
  project_id: delivery.notification.project_id,
  flow_id: delivery.flow_id,
  flow_name: context.store.flows.get(delivery.flow_id)?.name ?? null,
  source_type: delivery.source_type,
  kind: providerOf(context, delivery.source_type)?.kind ?? 'email',
  target: delivery.target,
  subject: delivery.content?.subject ?? '',
  text: delivery.content?.text ?? '',
  html: delivery.content?.html ?? null,
  captured: delivery.captured,
  attempt: delivery.attempt_count,
  sent_at: timestamp(context),
})
