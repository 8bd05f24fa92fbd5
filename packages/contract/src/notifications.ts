import { initContract } from '@ts-rest/core'
import { z } from 'zod'
import { reads, writes } from './access.ts'
import { Delivery, DeliveryWithAttempts } from './deliveries.ts'
import { notificationExample } from './examples.ts'
import { SourceType, TextType } from './flows.ts'
import { idempotentWrite } from './headers.ts'
import { Id, IdParam, OpenEnum, PageOf, pageQuery, QueryInteger, Text, Timestamp } from './primitives.ts'

const notificationStatuses = ['queued', 'sending', 'sent', 'partially_sent', 'failed', 'canceled'] as const

const head = {
  id: Id('notification', 'The identifier of the notification.'),
  project_id: Id('project', 'The project whose flows it triggered.'),
  status: OpenEnum(notificationStatuses).meta({ description: 'Rolled up from the deliveries.' }),
  subject: z.string().nullable().meta({ description: '`null` once retention has removed it, or where contents are not kept.' }),
  created_at: Timestamp,
}

/** A message that was accepted, with its deliveries. */
export const Notification = z
  .object({ ...head, deliveries: z.array(Delivery).meta({ description: 'The first 100 deliveries.' }) })
  .meta({ id: 'Notification', description: 'A message that was accepted, with its deliveries.', examples: [notificationExample] })

/** A notification whose deliveries carry their attempts. */
export const NotificationWithAttempts = z
  .object({ ...head, deliveries: z.array(DeliveryWithAttempts).meta({ description: 'The first 100 deliveries.' }) })
  .meta({ id: 'NotificationWithAttempts', description: 'A notification whose deliveries carry their attempts.' })

/** A page of notifications. */
export const NotificationPage = PageOf('NotificationPage', NotificationWithAttempts)

/** The body that sends a notification. */
export const NotificationSend = z
  .strictObject({
    project_id: IdParam('project', 'The project whose active flows are triggered.'),
    flow_id: IdParam('flow', 'Trigger this flow alone; it must be active.').optional(),
    subject: Text({ max: 998, refuse: 'line breaks' }).meta({
      description: 'The subject, 1 to 998 characters, in a single line. It is the subject of an email and what `{{subject}}` stands for.',
      examples: ['Invoice 42'],
    }),
    message: Text({ max: 100_000 }).meta({
      description: 'The message, 1 to 100,000 characters: what `{{message}}` stands for.',
      examples: ['Your invoice is ready.'],
    }),
    message_type: TextType.default('text/plain').meta({
      description:
        'How the message is written. `text/html` is inserted as markup into `text/html` email templates, and as plain text elsewhere.',
    }),
    target: Text({ max: 50_000 })
      .meta({
        description:
          'Override the targets: `[<source_type>:]<address>`, separated by `;`, at most 100. Flows that no entry reaches are skipped; a flow that does not allow it refuses the request.',
        examples: ['smtp:ops@example.com;slack:C024BE91L'],
      })
      .optional(),
    send_at: z.iso
      .datetime({ offset: true })
      .meta({ description: 'Send no sooner than this, up to 30 days ahead; in the past: now.', examples: ['2026-11-22T09:00:00Z'] })
      .optional(),
  })
  .meta({
    id: 'NotificationSend',
    description: 'The message to send and where to.',
    examples: [{ project_id: 'prj_01jdv3k2m8f6wbn0q4z5t7x9ya', subject: 'Invoice 42', message: 'Your invoice is ready.' }],
  })

/** Why a flow is not triggered, or what would keep its message from being sent. */
export const PreviewedFlow = z
  .object({
    flow_id: Id('flow', 'The flow.'),
    source_type: SourceType,
    outcome: z.enum(['matched', 'skipped']).meta({ description: 'Whether the notification would trigger the flow.' }),
    reason: OpenEnum(['inactive', 'not_targeted']).nullable().meta({ description: 'Why the flow is skipped; `null` when it is matched.' }),
    targets: z.array(z.string()).meta({ description: 'The receivers, resolved.' }),
    captured: z.boolean().meta({ description: 'Whether the message would be captured instead of sent.' }),
    content: z
      .object({
        subject: z.string(),
        text: z.string(),
        html: z.string().nullable(),
        bytes: z.int().meta({ description: 'Bytes of all parts in UTF-8.' }),
      })
      .nullable()
      .meta({ description: 'The message as it would be sent; `null` when the flow is skipped.' }),
    faults: z
      .array(z.object({ code: OpenEnum(['content_too_long', 'integration_missing']), message: z.string() }))
      .meta({ description: 'What would make a send refuse the request because of this flow.' }),
  })
  .meta({ id: 'PreviewedFlow', description: 'What a notification would do with one flow.' })

/** What a notification would do, flow by flow. */
export const NotificationPreview = z
  .object({ flows: z.array(PreviewedFlow) })
  .meta({ id: 'NotificationPreview', description: 'What a notification would do, flow by flow.' })

/** A page of deliveries. */
export const DeliveryPage = PageOf('DeliveryPage', DeliveryWithAttempts)

const notificationParams = z.object({ notification_id: IdParam('notification', 'The identifier of the notification.') })

const c = initContract()

const sendAccess = writes('notifications:send', [
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
const listAccess = reads('notifications:read', ['not_found', 'invalid_cursor'])
const getAccess = reads('notifications:read', ['not_found'])
const deliveriesAccess = reads('notifications:read', ['not_found', 'invalid_cursor'])
const previewAccess = writes('notifications:send', [
  'not_found',
  'no_active_flows',
  'flow_inactive',
  'integration_missing',
  'override_not_allowed',
  'target_unroutable',
  'too_many_deliveries',
  'content_too_long',
])
const retryAccess = reads('notifications:send', ['not_found', 'not_retryable', 'queue_full', ...idempotentWrite.problems])
const cancelAccess = reads('notifications:send', ['not_found', ...idempotentWrite.problems])

/** The operations on notifications. */
export const notifications = c.router(
  {
    send: {
      method: 'POST',
      path: '/v1/notifications',
      summary: 'Send a notification',
      description:
        'Renders the message for each flow that it triggers and stores everything in one transaction. What was accepted is delivered even when the server is killed right after the answer.',
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
        'Lists the notifications of the user, newest first, with their deliveries and attempts. A page may hold fewer than `limit`: it ends before it would embed more than 2,000 deliveries and attempts.',
      query: z.strictObject({
        ...pageQuery,
        project_id: IdParam('project', 'Only those of this project.').optional(),
        flow_id: IdParam('flow', 'Only those with a delivery for this flow.').optional(),
        status: z.enum(notificationStatuses).optional().meta({ description: 'Only those with this status.' }),
      }),
      responses: { 200: NotificationPage, ...listAccess.responses },
      metadata: listAccess.metadata,
    },
    get: {
      method: 'GET',
      path: '/v1/notifications/:notification_id',
      summary: 'Get a notification',
      description:
        'Reads one notification with its deliveries and their attempts. A credential may have 100 requests with `wait` open at once; one more is answered with 429 `rate_limited`. A credential that is revoked or expires during the wait gets 401.',
      pathParams: notificationParams,
      query: z.strictObject({
        wait: QueryInteger(1, 60)
          .optional()
          .meta({ description: 'Answer when every delivery is settled, or after so many seconds, 1 to 60.' }),
      }),
      responses: { 200: NotificationWithAttempts, ...getAccess.responses },
      metadata: getAccess.metadata,
    },
    deliveries: {
      method: 'GET',
      path: '/v1/notifications/:notification_id/deliveries',
      summary: 'List the deliveries of a notification',
      description:
        'Lists all deliveries of a notification with their attempts, newest first. A page may hold fewer than `limit`: it ends before it would hold more than 2,000 deliveries and attempts.',
      pathParams: notificationParams,
      query: z.strictObject(pageQuery),
      responses: { 200: DeliveryPage, ...deliveriesAccess.responses },
      metadata: deliveriesAccess.metadata,
    },
    preview: {
      method: 'POST',
      path: '/v1/notifications/preview',
      summary: 'Preview a notification',
      description:
        'Explains for every flow whether a notification would trigger it, and shows the rendered message. Sends and stores nothing.',
      body: NotificationSend,
      responses: { 200: NotificationPreview, ...previewAccess.responses },
      metadata: previewAccess.metadata,
    },
    retry: {
      method: 'POST',
      path: '/v1/notifications/:notification_id/retry',
      summary: 'Retry a notification',
      description: 'Queues its failed and ambiguous deliveries again, and no others.',
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
      description: 'Cancels what is queued or waiting to be retried. With nothing to cancel it changes nothing.',
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
