import { z } from 'zod'
import { notificationExample } from './examples.ts'
import { idempotencyKeyPattern } from './headers.ts'
import { Notification } from './notification-resources.ts'
import { NotificationSend } from './notification-send.ts'
import { Unchecked } from './primitives.ts'
import { Problem, problems } from './problem.ts'

/** The maximum number of notifications in a batch. */
export const maxBatchItems = 500

/** One notification in a batch: the body of a single send, and optionally an idempotency key. */
export const NotificationBatchItem = NotificationSend.extend({
  idempotency_key: z.string().regex(idempotencyKeyPattern, 'Must be 1 to 255 visible ASCII characters.').optional().meta({
    description:
      'Makes retries of this notification safe, in the same way as the `Idempotency-Key` header of a single send. Single sends and batches share these keys. By default, the `Idempotency-Key` header of the batch, if any, applies to the notification.',
  }),
}).meta({
  id: 'NotificationBatchItem',
  description: 'A message to send, the flows through which to send it, and optionally an idempotency key.',
  examples: [
    {
      project_id: notificationExample.project_id,
      subject: 'Invoice 42',
      message: 'Your invoice is ready.',
      idempotency_key: 'invoice-42:ready',
    },
  ],
})

/**
 * The request body that sends several notifications. The schema accepts invalid notifications, because the operation
 * validates each notification separately and rejects only the invalid ones.
 */
export const NotificationBatch = z
  .strictObject({
    notifications: z
      .array(Unchecked(NotificationBatchItem))
      .min(1, 'Must have at least 1 notification.')
      .max(maxBatchItems, `Must have at most ${maxBatchItems} notifications.`)
      .meta({ description: `1 to ${maxBatchItems} notifications. They may belong to different projects.` }),
  })
  .meta({ id: 'NotificationBatch', description: 'The notifications of a batch.' })

const AcceptedBatchItem = z
  .object({
    status: z.literal(202).meta({ description: 'The notification was accepted.' }),
    notification: Notification,
  })
  .meta({ id: 'AcceptedBatchItem', description: 'An accepted notification in a batch.' })

const RejectedBatchItem = z
  .object({
    status: z
      .literal([404, 409, 422, 429, 500, 503])
      .meta({ description: 'The HTTP status of the problem. Retry if it is 429, 500 or 503, or if `code` is `idempotency_in_progress`.' }),
    problem: Problem,
  })
  .meta({
    id: 'RejectedBatchItem',
    description:
      'A rejected notification in a batch, with the problem that a single send would return. After 1,000 validation errors in a batch, each further problem lists only its first error.',
    examples: [
      {
        status: 422,
        problem: {
          type: 'urn:flowpost:problem:validation_failed',
          title: problems.validation_failed.title,
          status: 422,
          detail: 'The request has 1 validation error.',
          code: 'validation_failed',
          request_id: '0193a1b2-6f0e-7c3d-9a44-1f2e3d4c5b6a',
          errors: [{ in: 'body', pointer: '/subject', code: 'required', message: 'Is required.' }],
        },
      },
    ],
  })

/** The result of a batch. */
export const NotificationBatchResult = z
  .object({
    results: z
      .array(z.discriminatedUnion('status', [AcceptedBatchItem, RejectedBatchItem]))
      .meta({ description: 'One result for each notification, in the order of the request.' }),
  })
  .meta({ id: 'NotificationBatchResult', description: 'The result of a batch: one result for each notification, in order.' })
