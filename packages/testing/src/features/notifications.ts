import { notFound } from '@flowpost/contract/rules'
import type { Dispatcher } from '../delivery/dispatcher.ts'
import { isSettled, type Settlements } from '../delivery/notification-status.ts'
import { verifyAgain } from '../http/authenticate.ts'
import type { Handlers, Principal } from '../http/call.ts'
import { pageOf, pageRequest } from '../http/cursor.ts'
import type { NotificationRecord } from '../state/records.ts'
import type { World } from '../state/world.ts'
import { acceptNotification } from './accept-notification.ts'
import { cancelNotification, retryNotification } from './change-deliveries.ts'
import { isWithin, requireKnown } from './notification-filters.ts'
import { rowsOfListed, rowsOfNotification, toListedDelivery, toNotification, toNotificationWithAttempts } from './notification-wire.ts'
import { previewNotification } from './preview-notification.ts'

/** @throws ApiError `not_found`. */
const findNotification = ({ store }: World, principal: Principal, id: string | undefined): NotificationRecord => {
  const notification = store.notifications.get(id ?? '')
  const isBoundElsewhere = principal.projectId !== undefined && principal.projectId !== notification?.project_id
  if (!notification || notification.userId !== principal.userId || isBoundElsewhere) throw notFound()
  return notification
}

/** What the operations on notifications do. */
export const createNotifications = (
  world: World,
  deps: { readonly dispatcher: Dispatcher; readonly settlements: Settlements },
): Handlers<'notifications'> => {
  const { clock, store } = world
  const { dispatcher, settlements } = deps

  /** Resolves when the notification has settled, or after `waitMs` on the clock of the mock. */
  const settled = (notification: NotificationRecord, waitMs: number, signal: AbortSignal) =>
    new Promise<void>((resolve) => {
      const end = () => {
        stopWatching()
        stopTimer()
        resolve()
      }
      const stopWatching = settlements.watch(notification.id, end)
      const stopTimer = clock.hold(end, waitMs)
      signal.addEventListener('abort', end, { once: true })
    })

  return {
    send: ({ principal, body }) => {
      const notification = acceptNotification(world, principal, body)
      for (const delivery of notification.deliveries) dispatcher.enqueue(delivery)
      return { status: 202, body: toNotification(notification), headers: { Location: `/v1/notifications/${notification.id}` } }
    },

    preview: ({ principal, body }) => ({ status: 200, body: previewNotification(world, principal, body) }),

    list: ({ principal, query: { limit, cursor, ...filters } }) => {
      const request = pageRequest('notifications', 'newest first', { ...filters, user_id: principal.userId }, { limit, cursor })
      requireKnown(world, principal, filters)
      const rows = [...store.notifications.values()].filter((notification) => isWithin(notification, principal, filters))
      return { status: 200, body: pageOf(request, rows, toNotificationWithAttempts, rowsOfNotification) }
    },

    get: async ({ principal, params, query, signal }) => {
      const notification = findNotification(world, principal, params.notification_id)
      if (query.wait !== undefined && !isSettled(notification)) {
        await settled(notification, query.wait * 1_000, signal)
        verifyAgain(world, principal)
      }
      return { status: 200, body: toNotificationWithAttempts(notification) }
    },

    deliveries: ({ principal, params, query }) => {
      const request = pageRequest('deliveries', 'newest first', { notification_id: params.notification_id }, query)
      const { deliveries } = findNotification(world, principal, params.notification_id)
      return { status: 200, body: pageOf(request, deliveries, toListedDelivery, rowsOfListed) }
    },

    retry: ({ principal, params }) => {
      const notification = findNotification(world, principal, params.notification_id)
      for (const delivery of retryNotification(world, settlements, notification)) dispatcher.enqueue(delivery)
      return { status: 202, body: toNotification(notification) }
    },

    cancel: ({ principal, params }) => {
      const notification = findNotification(world, principal, params.notification_id)
      cancelNotification(settlements, notification)
      return { status: 200, body: toNotification(notification) }
    },
  }
}
