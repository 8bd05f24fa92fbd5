import { z } from 'zod'
import { SourceType } from './flows.ts'
import { Id, OpenEnum, Timestamp } from './primitives.ts'

/** Where a delivery stands. */
export const DeliveryStatus = OpenEnum(['queued', 'sending', 'sent', 'retrying', 'failed', 'ambiguous', 'canceled']).meta({
  description: '`sent` means that the provider accepted the message. `sent`, `failed`, `ambiguous` and `canceled` are final.',
})

/** Why a delivery failed, or why it is being retried. */
export const DeliveryFailure = z
  .object({
    kind: OpenEnum(['target', 'credential', 'content', 'rate', 'provider', 'ambiguous']).meta({ description: 'Where the cause lies.' }),
    code: z.string().meta({ description: "The provider's own code, or one of Flowpost's." }),
    detail: z.string().meta({ description: 'What happened, in words of Flowpost, without secrets.' }),
    retryable: z.boolean().meta({ description: 'Whether the same message may succeed later.' }),
  })
  .meta({ id: 'DeliveryFailure', description: 'Why a delivery failed, or why it is being retried.' })

/** One try at handing a message to its provider. */
export const Attempt = z
  .object({
    id: Id('attempt', 'The identifier of the attempt.'),
    number: z.int().meta({ description: 'Counts from 1.' }),
    started_at: Timestamp,
    duration_ms: z.int().nullable().meta({ description: 'Milliseconds until the outcome; `null` while it is not known.' }),
    outcome: OpenEnum(['sending', 'sent', 'captured', 'retrying', 'failed', 'ambiguous']).meta({ description: 'How the attempt ended.' }),
    provider_response: z.string().nullable().meta({
      description:
        "The provider's answer, bounded and without secrets; its codes alone where the credential is the deployment's, or messages are not kept.",
    }),
  })
  .meta({ id: 'Attempt', description: 'One try at handing a message to its provider.' })

/** A message on its way to one target of one flow. */
export const Delivery = z
  .object({
    id: Id('delivery', 'The identifier of the delivery.'),
    flow_id: Id('flow', 'The flow that it was made for.'),
    source_type: SourceType,
    target: z.string().meta({ description: 'The receiver, fixed when the notification was accepted.' }),
    status: DeliveryStatus,
    captured: z.boolean().meta({ description: 'Whether the message was captured instead of leaving the machine.' }),
    attempt_count: z.int(),
    next_attempt_at: Timestamp.nullable().meta({ description: 'When it is tried next; `null` when it is not waiting.' }),
    sent_at: Timestamp.nullable(),
    provider_message_id: z.string().nullable(),
    failure: DeliveryFailure.nullable(),
  })
  .meta({ id: 'Delivery', description: 'A message on its way to one target of one flow.' })

/** A delivery with its attempts. */
export const DeliveryWithAttempts = Delivery.extend({
  attempts: z.array(Attempt).meta({
    description:
      'The newest attempts, in order: at most 20 where a notification embeds the delivery, and 100 in a list of deliveries. `attempt_count` says how many there were.',
  }),
}).meta({ id: 'DeliveryWithAttempts', description: 'A delivery with its attempts.' })
