import { initContract } from '@ts-rest/core'
import { z } from 'zod'
import { reads, writes } from './access.ts'
import { Delivery, DeliveryWithAttempts } from './deliveries.ts'
import { TextType } from './flows.ts'
import { idempotentWrite } from './headers.ts'
import { Id, IdParam, OpenEnum, PageOf, pageQuery, Text, Timestamp } from './primitives.ts'

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
  .meta({ id: 'Notification', description: 'A message that was accepted, with its deliveries.' })

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
      description: 'Lists the notifications of the user, newest first, with their deliveries and attempts.',
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
      description: 'Reads one notification with its deliveries and their attempts.',
      pathParams: z.object({ notification_id: IdParam('notification', 'The identifier of the notification.') }),
      query: z.strictObject({}),
      responses: { 200: NotificationWithAttempts, ...getAccess.responses },
      metadata: getAccess.metadata,
    },
  },
  { strictStatusCodes: true },
)
