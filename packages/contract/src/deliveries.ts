import { z } from 'zod'
import { SourceType } from './flows.ts'
import { Id, OpenEnum, Timestamp, TimestampField } from './primitives.ts'

/** The status of a delivery. */
export const DeliveryStatus = OpenEnum(['queued', 'sending', 'sent', 'retrying', 'failed', 'ambiguous', 'canceled']).meta({
  description:
    "The status of the delivery. `sent` means that the provider accepted the message. `ambiguous` means that the provider's response was lost, so the message may have been sent. `sent`, `failed`, `ambiguous` and `canceled` are final.",
})

/** The kinds of failures. */
export const failureKinds = ['target', 'credential', 'content', 'rate', 'provider', 'ambiguous', 'expired'] as const

/** The reason why a delivery was not sent, or why its outcome is unknown. */
export const DeliveryFailure = z
  .object({
    kind: OpenEnum(failureKinds).meta({
      description:
        "The cause of the failure: `target`, `credential`, `content`, `rate` (a rate limit), `provider`, `ambiguous` (the response was lost) or `expired` (the notification's `expires_at` has passed). `target` includes suppressed and erased recipients (codes `suppressed` and `erased`).",
    }),
    code: z.string().meta({ description: "The provider's error code, or a code that Flowpost defines." }),
    detail: z.string().meta({ description: 'Explains the failure. Never contains secrets.' }),
    retryable: z.boolean().meta({ description: 'Whether a later attempt with the same message may succeed.' }),
  })
  .meta({ id: 'DeliveryFailure', description: 'The reason why a delivery was not sent, or why its outcome is unknown.' })

/** A report of what happened to a message after the provider accepted it. */
export const DeliveryReceipt = z
  .object({
    status: OpenEnum(['delivered', 'bounced', 'complained']).meta({
      description:
        "`delivered`: the recipient's mail server or service accepted the message. `bounced`: the message was rejected permanently. `complained`: the recipient reported it as spam. `complained` replaces `bounced`, which replaces `delivered`. Of several receipts with the same status, the earliest is kept. Exception: a bounce that suppresses the recipient replaces a bounce that does not.",
    }),
    at: TimestampField('When the reported event happened.'),
    code: z
      .string()
      .nullable()
      .meta({ description: 'The code from the provider or mail server, such as `5.1.1`; `null` if there is none.' }),
    detail: z
      .string()
      .nullable()
      .meta({ description: 'The explanation from the provider or mail server; `null` if there is none, or if it must not be stored.' }),
  })
  .meta({ id: 'DeliveryReceipt', description: 'A report of what happened to a message after the provider accepted it.' })

/** One attempt to hand a message to its provider. */
export const Attempt = z
  .object({
    id: Id('attempt', 'The id of the attempt.'),
    number: z.int().meta({ description: 'The number of the attempt, starting at 1.' }),
    started_at: TimestampField('When the attempt started.'),
    duration_ms: z.int().nullable().meta({
      description: 'The duration of the attempt in milliseconds; `null` while it is in progress, or if it was interrupted.',
    }),
    outcome: OpenEnum(['sending', 'sent', 'captured', 'retrying', 'failed', 'ambiguous']).meta({
      description: 'The outcome of the attempt; `sending` while it is in progress.',
    }),
    provider_response: z.string().nullable().meta({
      description:
        "The provider's response or Flowpost's explanation of the outcome, shortened and without secrets; `null` if there is none. In two cases, only the codes in the provider's response are stored, not its text: the message was sent with a credential of the deployment, or the deployment does not store message content.",
    }),
  })
  .meta({ id: 'Attempt', description: 'One attempt to hand a message to its provider.' })

/** The delivery of a message to one target through one flow. */
export const Delivery = z
  .object({
    id: Id('delivery', 'The id of the delivery.'),
    flow_id: Id('flow', 'The id of the flow that the delivery belongs to.'),
    source_type: SourceType,
    target: z.string().meta({
      description:
        'The recipient. Later changes to the flow do not affect it. After the recipient is erased, the value is `erased:` followed by a digest.',
    }),
    status: DeliveryStatus,
    captured: z.boolean().meta({ description: "Whether the message is captured: stored in the server's outbox instead of being sent." }),
    attempt_count: z.int().meta({ description: 'The number of attempts so far.' }),
    next_attempt_at: Timestamp.nullable().meta({ description: 'When the next attempt is due; `null` when none is scheduled.' }),
    sent_at: Timestamp.nullable().meta({ description: 'When the provider accepted the message; `null` until then.' }),
    provider_message_id: z
      .string()
      .nullable()
      .meta({ description: 'The id that the provider assigned to the message; `null` if there is none.' }),
    failure: DeliveryFailure.nullable().meta({ description: 'The latest failure of the delivery; `null` if there is none.' }),
    receipt: DeliveryReceipt.nullable().meta({
      description:
        'A report of what happened to the message after the provider accepted it; `null` if there is none. It comes from the provider, a bounce message or an API request, and never changes `status`. A retry requested through the API removes it.',
    }),
  })
  .meta({ id: 'Delivery', description: 'The delivery of a message to one target through one flow.' })

/** A delivery with its attempts. */
export const DeliveryWithAttempts = Delivery.extend({
  attempts: z.array(Attempt).meta({
    description:
      'The most recent attempts, oldest first: up to 20 when embedded in a notification, up to 100 in a list of deliveries. `attempt_count` is the total.',
  }),
}).meta({ id: 'DeliveryWithAttempts', description: 'A delivery with its attempts.' })
