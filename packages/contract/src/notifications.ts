import { initContract } from '@ts-rest/core'
import { z } from 'zod'
import { declareRead, declareWrite } from './access.ts'
import { Delivery, DeliveryWithAttempts } from './deliveries.ts'
import { notificationExample } from './examples.ts'
import { SourceType, TextType } from './flows.ts'
import { idempotentWrite } from './headers.ts'
import { Id, IdParam, OpenEnum, PageOf, pageQuery, QueryInteger, Text, TimestampField } from './primitives.ts'

const notificationStatuses = ['queued', 'sending', 'sent', 'partially_sent', 'failed', 'canceled'] as const

const commonFields = {
  id: Id('notification', 'The id of the notification.'),
  project_id: Id('project', 'The id of the project that the notification belongs to.'),
  status: OpenEnum(notificationStatuses).meta({ description: 'The status of the notification, aggregated from its deliveries.' }),
  subject: z.string().nullable().meta({
    description: 'The subject; `null` after its retention period, or if message content is not stored.',
  }),
  created_at: TimestampField('When the notification was accepted.'),
}

/** An accepted notification with its deliveries. */
export const Notification = z
  .object({
    ...commonFields,
    deliveries: z
      .array(Delivery)
      .meta({ description: 'The first 100 deliveries. `GET /v1/notifications/{notification_id}/deliveries` returns all.' }),
  })
  .meta({ id: 'Notification', description: 'An accepted notification with its deliveries.', examples: [notificationExample] })

/** A notification with its deliveries and their attempts. */
export const NotificationWithAttempts = z
  .object({
    ...commonFields,
    deliveries: z
      .array(DeliveryWithAttempts)
      .meta({ description: 'The first 100 deliveries. `GET /v1/notifications/{notification_id}/deliveries` returns all.' }),
  })
  .meta({ id: 'NotificationWithAttempts', description: 'A notification with its deliveries and their attempts.' })

/** A page of notifications. */
export const NotificationPage = PageOf('NotificationPage', NotificationWithAttempts)

/** The request body that sends a notification. */
export const NotificationSend = z
  .strictObject({
    project_id: IdParam('project', 'The id of the project. All of its active flows are triggered, unless `flow_id` names a single one.'),
    flow_id: IdParam('flow', 'Triggers only this flow. It must be active.').optional(),
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
        'The format of the message. `text/html` is inserted as markup into `text/html` email templates, and converted to plain text elsewhere.',
    }),
    target: Text({ max: 50_000 })
      .meta({
        description:
          'Overrides the targets of the flows. Contains up to 100 entries of the form `[<source_type>:]<address>`, separated by `;`. A flow without a matching entry is skipped. If an entry matches a flow that does not allow overrides, the request is rejected.',
        examples: ['smtp:ops@example.com;slack:C024BE91L'],
      })
      .optional(),
    send_at: z.iso
      .datetime({ offset: true })
      .meta({
        description: 'The earliest time to send the message, at most 30 days in the future. A time in the past means now.',
        examples: ['2026-11-22T09:00:00Z'],
      })
      .optional(),
  })
  .meta({
    id: 'NotificationSend',
    description: 'A message to send, and the flows through which to send it.',
    examples: [{ project_id: 'prj_01jdv3k2m8f6wbn0q4z5t7x9ya', subject: 'Invoice 42', message: 'Your invoice is ready.' }],
  })

/** The preview of a notification for one flow. */
export const PreviewedFlow = z
  .object({
    flow_id: Id('flow', 'The id of the flow.'),
    source_type: SourceType,
    outcome: z.enum(['matched', 'skipped']).meta({ description: 'Whether the notification would trigger the flow.' }),
    reason: OpenEnum(['inactive', 'not_targeted']).nullable().meta({
      description:
        'Why the flow would be skipped: it is inactive, or no entry of `target` matches it (`not_targeted`). `null` when the flow is matched.',
    }),
    targets: z.array(z.string()).meta({ description: 'The receivers; empty when the flow is skipped.' }),
    captured: z.boolean().meta({ description: "Whether the message would be captured in the server's outbox instead of being sent." }),
    content: z
      .object({
        subject: z.string().meta({ description: 'The subject of the message, on a single line.' }),
        text: z.string().meta({ description: 'The text of the message, or the plain-text alternative of an HTML email.' }),
        html: z.string().nullable().meta({ description: 'The HTML of an email; `null` for other messages.' }),
        bytes: z.int().meta({ description: 'The total size of subject, text and HTML, in UTF-8 bytes.' }),
      })
      .nullable()
      .meta({ description: 'The rendered message; `null` when the flow is skipped.' }),
    faults: z
      .array(
        z.object({
          code: OpenEnum(['content_too_long', 'integration_missing']).meta({
            description: 'The problem code that sending would return.',
          }),
          message: z.string().meta({ description: 'Describes the problem.' }),
        }),
      )
      .meta({
        description: 'The problems with this flow that would prevent the whole notification; empty when there are none.',
      }),
  })
  .meta({ id: 'PreviewedFlow', description: 'The preview of a notification for one flow.' })

/** The preview of a notification, with one entry for each flow. */
export const NotificationPreview = z
  .object({ flows: z.array(PreviewedFlow).meta({ description: 'The flows that the notification considers, ordered by id.' }) })
  .meta({ id: 'NotificationPreview', description: 'The preview of a notification, with one entry for each flow.' })

/** A page of deliveries. */
export const DeliveryPage = PageOf('DeliveryPage', DeliveryWithAttempts)

const notificationParams = z.object({ notification_id: IdParam('notification', 'The id of the notification.') })

const c = initContract()

const sendAccess = declareWrite('notifications:send', [
  'not_found',
  'no_active_flows',
  'flow_inactive',
  'integration_missing',
  'override_not_allowed',
  'target_unroutable',
  'too_many_deliveries',
  'content_too_long',
  'queue_full',
  ...idempotentWrite.problems,
])
const listAccess = declareRead('notifications:read', ['not_found', 'invalid_cursor'])
const getAccess = declareRead('notifications:read', ['not_found'])
const deliveriesAccess = declareRead('notifications:read', ['not_found', 'invalid_cursor'])
const previewAccess = declareWrite('notifications:send', [
  'not_found',
  'no_active_flows',
  'flow_inactive',
  'integration_missing',
  'override_not_allowed',
  'target_unroutable',
  'too_many_deliveries',
  'content_too_long',
])
const retryAccess = declareRead('notifications:send', ['not_found', 'not_retryable', 'queue_full', ...idempotentWrite.problems])
const cancelAccess = declareRead('notifications:send', ['not_found', ...idempotentWrite.problems])

/** The notification operations. */
export const notifications = c.router(
  {
    send: {
      method: 'POST',
      path: '/v1/notifications',
      summary: 'Send a notification',
      description:
        'Renders the message for each triggered flow and stores the notification with its deliveries in one transaction. After a 202 response, Flowpost delivers the message even if the server is killed a moment later.',
      headers: idempotentWrite.headers,
      body: NotificationSend,
      responses: { 202: Notification, ...sendAccess.responses },
      metadata: { ...sendAccess.metadata, idempotent: true },
    },
    list: {
      method: 'GET',
      path: '/v1/notifications',
      summary: 'List notifications',
      description:
        'Returns the notifications of the user, newest first, with their deliveries and attempts. A page can hold fewer than `limit` notifications, because it holds at most 2,000 deliveries and attempts in total.',
      query: z.strictObject({
        ...pageQuery,
        project_id: IdParam('project', 'Returns only notifications of this project.').optional(),
        flow_id: IdParam('flow', 'Returns only notifications with a delivery through this flow.').optional(),
        status: z.enum(notificationStatuses).optional().meta({ description: 'Returns only notifications with this status.' }),
      }),
      responses: { 200: NotificationPage, ...listAccess.responses },
      metadata: listAccess.metadata,
    },
    get: {
      method: 'GET',
      path: '/v1/notifications/:notification_id',
      summary: 'Get a notification',
      description:
        'Returns one notification with its deliveries and their attempts. A credential can have up to 100 requests with `wait` open at the same time; any further request with `wait` returns 429 `rate_limited`. If the credential is revoked or expires during the wait, the response is 401.',
      pathParams: notificationParams,
      query: z.strictObject({
        wait: QueryInteger(1, 60).optional().meta({
          description: 'The maximum number of seconds, 1 to 60, to wait until every delivery has a final status.',
        }),
      }),
      responses: { 200: NotificationWithAttempts, ...getAccess.responses },
      metadata: getAccess.metadata,
    },
    deliveries: {
      method: 'GET',
      path: '/v1/notifications/:notification_id/deliveries',
      summary: 'List the deliveries of a notification',
      description:
        'Returns all deliveries of a notification with their attempts, newest first. A page can hold fewer than `limit` deliveries, because it holds at most 2,000 deliveries and attempts in total.',
      pathParams: notificationParams,
      query: z.strictObject(pageQuery),
      responses: { 200: DeliveryPage, ...deliveriesAccess.responses },
      metadata: deliveriesAccess.metadata,
    },
    preview: {
      method: 'POST',
      path: '/v1/notifications/preview',
      summary: 'Preview a notification',
      description: 'Returns for each flow whether the notification would trigger it, and with which message. Sends and stores nothing.',
      body: NotificationSend,
      responses: { 200: NotificationPreview, ...previewAccess.responses },
      metadata: previewAccess.metadata,
    },
    retry: {
      method: 'POST',
      path: '/v1/notifications/:notification_id/retry',
      summary: 'Retry a notification',
      description: "Queues a notification's failed and ambiguous deliveries again. Other deliveries stay as they are.",
      pathParams: notificationParams,
      query: z.strictObject({}),
      headers: idempotentWrite.headers,
      body: c.noBody(),
      responses: { 202: Notification, ...retryAccess.responses },
      metadata: { ...retryAccess.metadata, idempotent: true },
    },
    cancel: {
      method: 'POST',
      path: '/v1/notifications/:notification_id/cancel',
      summary: 'Cancel a notification',
      description: 'Cancels the deliveries of a notification that are queued or waiting for a retry. Has no effect if there are none.',
      pathParams: notificationParams,
      query: z.strictObject({}),
      headers: idempotentWrite.headers,
      body: c.noBody(),
      responses: { 200: Notification, ...cancelAccess.responses },
      metadata: { ...cancelAccess.metadata, idempotent: true },
    },
  },
  { strictStatusCodes: true },
)
