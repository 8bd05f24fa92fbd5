import { z } from 'zod'
import { pushedEventTypes, subscribableEventTypes } from './event-types.ts'
import { eventEndpointExample, eventEndpointFieldsExample } from './examples.ts'
import { Id, OpenEnum, OptionalKey, PageOf, Text, Timestamp, TimestampField } from './primitives.ts'

const isEndpointUrl = (text: string): boolean => {
  if (!URL.canParse(text)) return false
  const { protocol, username, password, hash } = new URL(text)
  return (protocol === 'https:' || protocol === 'http:') && username === '' && password === '' && hash === ''
}

const fields = {
  url: Text({ max: 2048, forbid: 'control characters' })
    .refine(
      isEndpointUrl,
      'Must be an HTTPS URL without a user, password or fragment. Plain HTTP works only in networks that the deployment allows.',
    )
    .nullable()
    .meta({
      description:
        'The HTTPS URL that receives the events; `null` if events are only read with `GET /v1/events`. Plain HTTP works only in networks that the deployment allows.',
      examples: ['https://billing.example.com/flowpost-events'],
    }),
  events: z
    .array(z.enum(subscribableEventTypes))
    .min(1)
    .max(subscribableEventTypes.length)
    .meta({ description: 'The event types that the endpoint receives. There is no wildcard.', examples: [['delivery.failed']] }),
  active: z.boolean().meta({
    description:
      'Whether events are stored for the endpoint and sent to it. After reactivation, sending resumes where it stopped. If events were stored for other endpoints in the meantime, this endpoint also receives those whose type it lists.',
  }),
  description: Text({ min: 0, max: 255, normalize: true, forbid: 'control characters' }).meta({
    description: 'A description for human readers, up to 255 characters without control characters. Trimmed and normalized to Unicode NFC.',
    examples: ['Billing service'],
  }),
}

/** The event endpoint fields that a request can set. */
export const eventEndpointFields = fields

/** The maximum number of event endpoints in a project. */
export const maxEventEndpoints = 20

const key = OptionalKey(
  'A key that identifies the endpoint in files and code: 1 to 64 lower-case letters, digits and hyphens. Must be unique in the project. `null` removes the key.',
)

/** The health of an event endpoint: whether it accepts the events that are sent to it. */
export const EventEndpointHealth = z
  .object({
    status: OpenEnum(['unknown', 'healthy', 'failing', 'disabled']).meta({
      description:
        '`unknown` before the first event and after an update or a replay. `healthy` after the endpoint accepts an event. `failing` while a failed event is being retried. `disabled` after all requests fail for the whole retry period, or after the endpoint returns 410. Events for a disabled endpoint are stored, but they are not sent until the endpoint is updated or events are replayed.',
    }),
    code: z.string().nullable().meta({
      description:
        'The code of the latest failure, such as `http_503` or `timed_out`; `null` if the endpoint is neither failing nor disabled.',
    }),
    detail: z.string().nullable().meta({ description: 'Explains `code`; `null` when `code` is `null`. Never contains secrets.' }),
    since: Timestamp.nullable().meta({ description: 'When `status` last changed; `null` while `status` is `unknown`.' }),
    next_attempt_at: Timestamp.nullable().meta({
      description: 'When the failed event will be retried next; `null` if the endpoint is not failing.',
    }),
  })
  .meta({
    id: 'EventEndpointHealth',
    description:
      "The health of an event endpoint: whether it accepts the events that are sent to it. The endpoint's `ETag` does not depend on its health, so a health change never makes an update fail with 412.",
  })

const resourceFields = {
  id: Id('eventEndpoint', 'The id of the endpoint.'),
  project_id: Id('project', 'The id of the project whose events the endpoint receives.'),
  url: z.string().nullable().meta({
    description: 'The URL that receives the events; `null` if events are only read with `GET /v1/events`.',
  }),
  events: z.array(OpenEnum(subscribableEventTypes)).meta({ description: 'The event types that the endpoint receives.' }),
  active: fields.active,
  key: z
    .string()
    .nullable()
    .meta({
      description: 'The key that identifies the endpoint in files and code; `null` if it has none. It is unique in the project.',
      examples: ['billing'],
    }),
  description: z.string().meta({ description: 'A description for human readers; empty if there is none.' }),
  health: EventEndpointHealth,
  created_at: TimestampField('When the endpoint was created.'),
  updated_at: TimestampField('When the endpoint was last changed.'),
}

/** A subscription to a project's events, without its signing secret. */
export const EventEndpoint = z.object(resourceFields).meta({
  id: 'EventEndpoint',
  description: "A subscription to a project's events, without its signing secret.",
  examples: [eventEndpointExample],
})

/** An event endpoint with a new signing secret. The secret is shown only once. */
export const EventEndpointWithSecret = z
  .object({
    ...resourceFields,
    secret: z.string().meta({
      description:
        'The signing secret: `whsec_` followed by 32 random bytes in base64. Verify the signature of every request with it, as specified by Standard Webhooks. It is shown only once.',
    }),
  })
  .meta({
    id: 'EventEndpointWithSecret',
    description: 'An event endpoint with a new signing secret. The secret is shown only once.',
  })

/** The request body that creates an event endpoint. */
export const EventEndpointCreate = z
  .strictObject({
    ...fields,
    key,
    active: fields.active.default(true),
    description: fields.description.default(''),
  })
  .meta({ id: 'EventEndpointCreate', description: 'The fields of a new event endpoint.', examples: [eventEndpointFieldsExample] })

/** The request body that replaces all fields of an event endpoint. */
export const EventEndpointUpdate = z.strictObject({ ...fields, key }).meta({
  id: 'EventEndpointUpdate',
  description: 'All changeable fields of an event endpoint. Every field except `key` is required. An omitted `key` stays as it is.',
  examples: [eventEndpointFieldsExample],
})

/** The request body that replays the events after a given one. */
export const EventReplay = z
  .strictObject({
    after: z
      .string()
      .nullable()
      .meta({
        description:
          "The id of the event after which to start. This event itself is not sent again. `null` starts with the project's oldest stored event.",
        examples: ['evt_01jdv3k2m8f6wbn0q4z5t7x9ya'],
      }),
  })
  .meta({ id: 'EventReplay', description: 'The event after which to resume sending.', examples: [{ after: null }] })

/** A page of event endpoints. */
export const EventEndpointPage = PageOf('EventEndpointPage', EventEndpoint)

/** One request that sent an event to an endpoint. */
export const EventAttempt = z
  .object({
    id: Id('attempt', 'The id of the request.'),
    event_id: Id('event', 'The id of the event. The request header `webhook-id` contains it.'),
    type: OpenEnum(pushedEventTypes).meta({ description: 'The type of the event.' }),
    outcome: OpenEnum(['delivered', 'failed']).meta({
      description: '`delivered` if the endpoint responded with a status from 200 to 299, otherwise `failed`.',
    }),
    status: z.int().nullable().meta({ description: 'The HTTP status of the response; `null` if there was none.' }),
    code: z.string().nullable().meta({
      description: 'The code of the failure, such as `http_503` or `timed_out`; `null` if the event was delivered.',
    }),
    detail: z.string().nullable().meta({ description: 'Explains the failure; `null` if the event was delivered. Never contains secrets.' }),
    duration_ms: z.int().meta({ description: 'The duration of the request in milliseconds.' }),
    created_at: TimestampField('When the request started.'),
  })
  .meta({ id: 'EventAttempt', description: 'One request that sent an event to an endpoint.' })

/** A page of attempts. */
export const EventAttemptPage = PageOf('EventAttemptPage', EventAttempt)
