import { api } from '@flowpost/contract'
import { initServer } from '@ts-rest/express'
import { decodeCursor, pageOf } from '../../http/cursor.ts'
import type { Idempotency } from '../../http/idempotency.ts'
import { principalOf } from '../../shared/request-context.ts'
import { type AcceptDeps, acceptNotification } from './accept-notification.ts'
import { toNotification, toNotificationWithAttempts } from './notification.wire.ts'
import { attemptsOf, embeddedDeliveriesOf, getNotification, listNotifications } from './notification-queries.ts'

/** What the routes of notifications need. */
export interface NotificationRoutesDeps extends AcceptDeps {
  readonly idempotency: Idempotency
}

const list = 'notifications'

/** The routes of notifications. */
export const createNotificationRoutes = (deps: NotificationRoutesDeps) => {
  const { database, queue, idempotency } = deps

  return initServer().router(api.notifications, {
    send: async ({ body, req, res }) => {
      const principal = principalOf(res)
      const answer = await idempotency.run(req, principal, body, async (transaction) => {
        const { notification, deliveries } = await acceptNotification(transaction, deps, principal, body)
        const accepted = toNotification(notification, deliveries)
        return { status: 202, body: accepted, headers: { Location: `/v1/notifications/${accepted.id}` } }
      })
      queue.wake()
      res.set(answer.headers)
      return { status: 202, body: answer.body }
    },

    list: async ({ query, res }) => {
      const { limit, cursor, ...filters } = query
      const before = cursor === undefined ? undefined : decodeCursor(list, filters, cursor)
      const rows = await listNotifications(database, principalOf(res), filters, limit + 1, before)
      const page = rows.slice(0, limit)
      const deliveries = await embeddedDeliveriesOf(
        database,
        page.map(({ id }) => id),
      )
      const attempts = await attemptsOf(
        database,
        [...deliveries.values()].flat().map(({ id }) => id),
      )
      return {
        status: 200,
        body: pageOf({
          list,
          filters,
          limit,
          rows,
          toWire: (row) => toNotificationWithAttempts(row, deliveries.get(row.id) ?? [], attempts),
        }),
      }
    },

    get: async ({ params, res }) => {
      const row = await getNotification(database, principalOf(res), params.notification_id)
      const deliveries = (await embeddedDeliveriesOf(database, [row.id])).get(row.id) ?? []
      const attempts = await attemptsOf(
        database,
        deliveries.map(({ id }) => id),
      )
      return { status: 200, body: toNotificationWithAttempts(row, deliveries, attempts) }
    },
  })
}
