import { z } from 'zod'
import { TextType } from './flows.ts'
import { IdParam, Key, Text, Time } from './primitives.ts'

const maxMetadataEntries = 20
const metadataKey = /^[A-Za-z0-9_.-]{1,64}$/
const MetadataValue = Text({ min: 0, max: 500 })

/** Data that the sender attaches: strings under short keys. Flowpost stores and returns it without interpreting it. */
const Metadata = z
  .record(z.string(), MetadataValue)
  .check((context) => {
    const message = 'The key must have 1 to 64 letters, digits, underscores, periods or hyphens.'
    for (const key of Object.keys(context.value))
      if (!metadataKey.test(key))
        context.issues.push({ code: 'custom', input: context.value, path: [key], message, params: { code: 'invalid_value' } })
  })
  .meta({
    description:
      'Data that the sender attaches: up to 20 strings of up to 500 characters. The keys have 1 to 64 letters, digits, underscores, periods or hyphens.',
    maxProperties: maxMetadataEntries,
    propertyNames: { pattern: metadataKey.source },
    examples: [{ order: '1042', customer: 'c-7' }],
  })

// Replaces `run` to reject an object with too many entries before each entry is checked. Otherwise, zod could create 100,000
// issues, which takes seconds. `z.preprocess` is not used, because it would remove the examples from the OpenAPI document.
// Replacing `parse` would have no lasting effect, because zod itself replaces it when the schema is first used.
const { run } = Metadata._zod
Metadata._zod.run = (payload, context) => {
  const { value } = payload
  if (!z.core.util.isPlainObject(value) || Object.keys(value).length <= maxMetadataEntries) return run(payload, context)
  const message = `Must have at most ${maxMetadataEntries} entries.`
  payload.issues.push({ code: 'custom', input: value, message, params: { code: 'too_long' } })
  return payload
}

/** The request body that sends a notification. */
export const NotificationSend = z
  .strictObject({
    project_id: IdParam(
      'project',
      'The id of the project. All of its active flows are triggered, unless `flow_id` or `flow` names one of them. Required unless `project` is given.',
    ).optional(),
    project: Key.meta({ description: 'The key of the project, instead of `project_id`.', examples: ['billing'] }).optional(),
    flow_id: IdParam('flow', 'Triggers only this flow. It must be active.').optional(),
    flow: Key.meta({ description: 'The key of the flow, instead of `flow_id`.', examples: ['ops-mail'] }).optional(),
    subject: Text({ max: 998, forbid: 'line breaks' }).meta({
      description:
        'The subject: a single line of 1 to 998 characters. It becomes the subject of emails and replaces `{{subject}}` in templates.',
      examples: ['Invoice 42'],
    }),
    message: Text({ max: 100_000 }).meta({
      description: 'The message: 1 to 100,000 characters. It replaces `{{message}}` in templates.',
      examples: ['Your invoice is ready.'],
    }),
    message_type: TextType.default('text/plain').meta({
      description:
        'The format of the message. `text/html` is inserted as markup into `text/html` email templates. In all other templates, it is converted to plain text. A template that contains only `{{message}}` is an exception: it sends the message unmodified.',
    }),
    target: Text({ max: 50_000 })
      .meta({
        description:
          "Overrides the flows' own targets. Contains up to 100 entries of the form `[<source_type>:]<address>`, separated by `;`. A flow without a matching entry is skipped. If an entry matches a flow that does not allow overrides, the request is rejected.",
        examples: ['smtp:ops@example.com;slack:C024BE91L'],
      })
      .optional(),
    send_at: Time()
      .meta({
        description: 'The earliest time to send the message, at most 30 days in the future. A time in the past means now.',
        examples: ['2026-11-22T09:00:00Z'],
      })
      .optional(),
    expires_at: Time()
      .meta({
        description:
          'The time after which no attempt starts. It must be in the future and later than `send_at`. Deliveries that are not sent by then are `canceled` with the failure code `expired`. An attempt in progress finishes.',
        examples: ['2026-11-22T18:00:00Z'],
      })
      .optional(),
    reference: Text({ max: 255 })
      .meta({
        description:
          'An identifier that the sender chooses, 1 to 255 characters. It need not be unique. `GET /v1/notifications` can filter by it.',
        examples: ['order-1042'],
      })
      .optional(),
    metadata: Metadata.optional(),
  })
  .meta({
    id: 'NotificationSend',
    description: 'A message to send, and the flows through which to send it.',
    examples: [{ project_id: 'prj_01jdv3k2m8f6wbn0q4z5t7x9ya', subject: 'Invoice 42', message: 'Your invoice is ready.' }],
  })
