import { notFound, requireRetryMode } from '@flowpost/contract/rules'
import { type CompletionTracker, isCompleted } from '../delivery/completion.ts'
import type { Dispatcher } from '../delivery/dispatcher.ts'
import { reverifyKey } from '../http/authenticate.ts'
import type { Handlers, Principal } from '../http/handler.ts'
import { createPage, parsePageRequest } from '../http/pagination.ts'
import type { MockContext } from '../state/mock-context.ts'
import type { NotificationRecord } from '../state/store.ts'
import { acceptNotification } from './accept-notification.ts'
import { cancelNotification, retryNotification } from './change-deliveries.ts'
import {
  countEmbeddedRows,
  countListedRows,
  toListedDelivery,
  toNotification,
  toNotificationWithAttempts,
} from './notification.serializer.ts'
import { explainNotification } from './notification-explanation.ts'
import { matchesFilters, requireVisibleFilters } from './notification-filters.ts'
import { previewNotification, type SendBody } from './plan-notification.ts'
import { sendBatch } from './send-batch.ts'

/**
 * Returns a notification that the principal may access.
 *
 * @throws {ApiError} `not_found`.
 */
const findNotification = ({ store }: MockContext, principal: Principal, id: string | undefined): NotificationRecord => {
  const notification = store.notifications.get(id ?? '')
  const isBoundElsewhere = principal.projectId !== undefined && principal.projectId !== notification?.project_id
  if (!notification || notification.userId !== principal.userId || isBoundElsewhere) throw notFound()
  return notification
}

/** Creates the handlers of the notification operations. */
export const createNotifications = (
  context: MockContext,
  deps: { readonly dispatcher: Dispatcher; readonly completion: CompletionTracker },
): Handlers<'notifications'> => {
  const { clock, store } = context
  const { dispatcher, completion } = deps

  /** Resolves when the notification is completed, when `signal` is aborted, or after `waitMs` on the mock's clock. */
  const waitForCompletion = (notification: NotificationRecord, waitMs: number, signal: AbortSignal) =>
    new Promise<void>((resolve) => {
      const end = () => {
        stopWatching()
        stopTimer()
        resolve()
      }
      const stopWatching = completion.onCompleted(notification.id, end)
      const stopTimer = clock.scheduleAwaited(end, waitMs)
      signal.addEventListener('abort', end, { once: true })
    })

  const send = (principal: Principal, body: SendBody) => {
    const notification = acceptNotification(context, principal, body)
    for (const delivery of notification.deliveries) if (delivery.status === 'queued') dispatcher.enqueue(delivery)
    // Updates the status now, because deliveries to suppressed recipients have already failed.
    completion.updateStatus(notification)
    return { status: 202 as const, body: toNotification(notification), headers: { Location: `/v1/notifications/${notification.id}` } }
  }

  return {
    send: ({ principal, body }) => send(principal, body),

    sendBatch: (call) => sendBatch(context, call, send),

    preview: ({ principal, body }) => ({ status: 200, body: previewNotification(context, principal, body) }),

    list: ({ principal, query: { limit, cursor, ...filters } }) => {
      const request = parsePageRequest('notifications', 'newest first', { ...filters, user_id: principal.userId }, { limit, cursor })
      requireVisibleFilters(context, principal, filters)
      const rows = [...store.notifications.values()].filter((notification) => matchesFilters(context, notification, principal, filters))
      return { status: 200, body: createPage(request, rows, toNotificationWithAttempts, countEmbeddedRows) }
    },

    get: async ({ principal, params, query, signal }) => {
      const notification = findNotification(context, principal, params.notification_id)
      if (query.wait !== undefined && !isCompleted(notification)) {
        await waitForCompletion(notification, query.wait * 1_000, signal)
        reverifyKey(context, principal)
      }
      return { status: 200, body: toNotificationWithAttempts(notification) }
    },

    deliveries: ({ principal, params, query }) => {
      const request = parsePageRequest('deliveries', 'newest first', { notification_id: params.notification_id }, query)
      const { deliveries } = findNotification(context, principal, params.notification_id)
      return { status: 200, body: createPage(request, deliveries, toListedDelivery, countListedRows) }
    },

    explanation: ({ principal, params }) => ({
      status: 200,
      body: explainNotification(context, findNotification(context, principal, params.notification_id)),
    }),

    retry: ({ principal, params }) => {
      const notification = findNotification(context, principal, params.notification_id)
      requireRetryMode(principal, notification)
      for (const delivery of retryNotification(context, completion, notification)) dispatcher.enqueue(delivery)
      return { status: 202, body: toNotification(notification) }
    },

    cancel: ({ principal, params }) => {
      const notification = findNotification(context, principal, params.notification_id)
      cancelNotification(completion, notification)
      return { status: 200, body: toNotification(notification) }
    },
  }
}
