import { initContract } from '@ts-rest/core'
import { z } from 'zod'
import { declareRead, declareWrite } from './access.ts'
import { idempotentBatch, idempotentWrite, settingsDigest } from './headers.ts'
import { NotificationBatch, NotificationBatchResult } from './notification-batch.ts'
import { NotificationExplanation } from './notification-explanation.ts'
import { notificationFilters } from './notification-filters.ts'
import { NotificationPreview } from './notification-preview.ts'
import { DeliveryPage, Notification, NotificationPage, NotificationWithAttempts } from './notification-resources.ts'
import { NotificationSend } from './notification-send.ts'
import { IdParam, pageQuery, QueryInteger, waitLimit } from './primitives.ts'

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
const sendBatchAccess = declareWrite('notifications:send', [...idempotentBatch.problems])
const listAccess = declareRead('notifications:read', ['not_found', 'invalid_cursor'])
const getAccess = declareRead('notifications:read', ['not_found'])
const deliveriesAccess = declareRead('notifications:read', ['not_found', 'invalid_cursor'])
const explanationAccess = declareRead('notifications:read', ['not_found'])
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
        'Renders the message for each triggered flow and stores the notification with its deliveries in one transaction. After a 202 response, Flowpost delivers the message even if the server is killed a moment later. With a test key, the messages are captured instead of delivered, and addresses such as `bounce@flowpost.test` simulate the outcomes of a provider.',
      headers: { ...idempotentWrite.headers, ...settingsDigest },
      body: NotificationSend,
      responses: { 202: Notification, ...sendAccess.responses },
      metadata: { ...sendAccess.metadata, idempotent: true },
    },
    sendBatch: {
      method: 'POST',
      path: '/v1/notifications/batch',
      summary: 'Send a batch of notifications',
      description:
        'Sends 1 to 500 notifications. Each is processed as if it were sent alone: an invalid notification is rejected with the problem that a single send would return, and does not affect the others. Each notification counts toward the rate limit, except those whose response is replayed. Notifications beyond the limit are rejected with 429 `rate_limited`. A batch is not one transaction: after a failure, some notifications can be stored and others not. To repeat a batch safely, set an `Idempotency-Key` for the batch or an `idempotency_key` for each notification. If no notification was accepted and at least one failed with 503 `unavailable`, the response to the whole batch is that 503. Retry a notification with a result of 429 or 503 after the time in `Retry-After`. The body has the same size limit as a single send, 1 MiB by default.',
      headers: { ...idempotentBatch.headers, ...settingsDigest },
      body: NotificationBatch,
      responses: { 200: NotificationBatchResult, ...sendBatchAccess.responses },
      metadata: { ...sendBatchAccess.metadata, idempotent: true, itemsField: 'notifications' },
    },
    list: {
      method: 'GET',
      path: '/v1/notifications',
      summary: 'List notifications',
      description:
        "Returns the user's notifications, newest first, with their deliveries and attempts. All filters must match; `flow_id`, `target`, `source_type`, `failure_kind` and `failure_code` must match the same delivery. A page can hold fewer than `limit` notifications, because it holds at most 2,000 deliveries and attempts in total. With several filters, or with `source_type`, a page can even be empty although more pages follow (`next_cursor` is not `null`), because a request examines a limited number of notifications.",
      query: z.strictObject({
        ...pageQuery,
        ...notificationFilters,
      }),
      responses: { 200: NotificationPage, ...listAccess.responses },
      metadata: listAccess.metadata,
    },
    get: {
      method: 'GET',
      path: '/v1/notifications/:notification_id',
      summary: 'Get a notification',
      description: `Returns one notification with its deliveries and their attempts. ${waitLimit} If the credential is revoked or expires during the wait, the response is 401.`,
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
    explanation: {
      method: 'GET',
      path: '/v1/notifications/:notification_id/explanation',
      summary: 'Explain a notification',
      description:
        'Explains why a notification triggered some flows and not others. The response covers every flow that the project had when the notification was accepted. If the reasons cannot be determined, the response says so instead of guessing.',
      pathParams: notificationParams,
      query: z.strictObject({}),
      responses: { 200: NotificationExplanation, ...explanationAccess.responses },
      metadata: explanationAccess.metadata,
    },
    preview: {
      method: 'POST',
      path: '/v1/notifications/preview',
      summary: 'Preview a notification',
      description: 'Returns, for each flow, whether the notification would trigger it, and with which message. Sends and stores nothing.',
      headers: settingsDigest,
      body: NotificationSend,
      responses: { 200: NotificationPreview, ...previewAccess.responses },
      metadata: previewAccess.metadata,
    },
    retry: {
      method: 'POST',
      path: '/v1/notifications/:notification_id/retry',
      summary: 'Retry a notification',
      description:
        "Queues a notification's failed and ambiguous deliveries again. Other deliveries stay as they are. A test key cannot retry a notification that was sent with a live key (403 `scope_missing`).",
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
      description: "Cancels a notification's deliveries that are queued or waiting for a retry. Has no effect if there are none.",
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
