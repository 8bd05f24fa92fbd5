import type { ChannelKind } from '@flowpost/domain'
import type { DeliveryRecord } from '../state/records.ts'
import { providerOf, timestamp, type World } from '../state/world.ts'

/** A message that a provider would have got, rendered. */
export interface SentMessage {
  readonly notification_id: string
  readonly delivery_id: string
  readonly project_id: string
  readonly flow_id: string
  /** The name of the flow when it was sent; `null` when the flow was deleted. */
  readonly flow_name: string | null
  readonly source_type: string
  /** Whether the provider sends email or chat messages. */
  readonly kind: ChannelKind
  /** The receiver. */
  readonly target: string
  /** The subject of an email; a chat does not show it. */
  readonly subject: string
  /** The text of a chat message or of a plain email, or the text alternative of an HTML email. */
  readonly text: string
  /** The HTML view of an email, when its template is `text/html`. */
  readonly html: string | null
  /** Whether it was captured instead of sent. */
  readonly captured: boolean
  /** Which attempt it was, from 1. */
  readonly attempt: number
  readonly sent_at: string
}

/** What stands in the outbox for a delivery that has just been sent. */
export const toSentMessage = (world: World, delivery: DeliveryRecord): SentMessage => ({
  notification_id: delivery.notification.id,
  delivery_id: delivery.id,
  project_id: delivery.notification.project_id,
  flow_id: delivery.flow_id,
  flow_name: world.store.flows.get(delivery.flow_id)?.name ?? null,
  source_type: delivery.source_type,
  kind: providerOf(world, delivery.source_type)?.kind ?? 'email',
  target: delivery.target,
  subject: delivery.content.subject,
  text: delivery.content.text,
  html: delivery.content.html ?? null,
  captured: delivery.captured,
  attempt: delivery.attempt_count,
  sent_at: timestamp(world),
})
