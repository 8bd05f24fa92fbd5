import { api } from '@flowpost/contract'
import { countDeliveryRows, findAddressIssues, limitPage, maxListedAttempts } from '@flowpost/contract/rules'
import { type Channels, findSendIssues } from '@flowpost/domain'
import { initServer } from '@ts-rest/express'
import { type VerifyToken, verifyAgain } from '../../auth/authenticate.ts'
import type { BodyCheck } from '../../http/check-bodies.ts'
import { disconnectionOf } from '../../http/disconnection.ts'
import { type IdempotentResponse, keyOf } from '../../http/idempotency-key.ts'
import { decodeCursor, pageOf } from '../../http/pagination.ts'
import { chargeItem, chargeRendering } from '../../http/rate-limit.ts'
import { contextOf, principalOf } from '../../http/request-context.ts'
import { toBodyErrors } from '../../shared/api-error.ts'
import type { Clock } from '../../shared/clock.ts'
import type { WaitLimit } from '../../shared/wait-limit.ts'
import type { CancelDeps } from '../delivery/cancel-deliveries.ts'
import type { Completions } from '../delivery/completion-watch.ts'
import { createBatchAcceptance } from './accept-batch.ts'
import { type AcceptDeps, createAcceptance } from './accept-notification.ts'
import { cancelNotification } from './cancel-notification.ts'
import { explainNotification } from './explain-notification.ts'
import { listNotifications } from './list-notifications.ts'
import { attemptsOf, embeddedDeliveriesOf, getNotification, listDeliveries } from './notification.queries.ts'
import { toDeliveryWithAttempts, toNotification } from './notification.serializer.ts'
import { previewNotification } from './preview-notification.ts'
import { createNotificationReader, withDeliveries } from './read-notification.ts'
import { retryNotification } from './retry-notification.ts'

/** The dependencies of {@link createNotificationRoutes}. */
export interface NotificationRoutesDeps extends AcceptDeps, CancelDeps {
  readonly completions: Completions
  readonly limitWaits: WaitLimit
  readonly verifyToken: VerifyToken
}

const checkAddress: BodyCheck = async ({ body }: { readonly body: unknown }) => toBodyErrors(findAddressIssues(body))

/**
 * The body checks of the notification routes. They reject a missing project, and a project or flow named by both id and
 * key.
 */
export const notificationBodyChecks: ReadonlyMap<unknown, BodyCheck> = new Map([
  [api.notifications.send, checkAddress],
  [api.notifications.preview, checkAddress],
] as [unknown, BodyCheck][])

/**
 * Returns the checks of a request's schedule and `target`, for `BodyChecks.late`. They run only if the request has failed
 * another check, so that one response lists all issues. Otherwise, the route's handler checks the schedule and `target`.
 */
export const lateNotificationChecks = ({
  clock,
  channels,
}: {
  readonly clock: Clock
  readonly channels: Channels
}): ReadonlyMap<unknown, BodyCheck> => {
  const check: BodyCheck = async ({ body }: { readonly body: unknown }) =>
    toBodyErrors(findSendIssues(body, clock.now().getTime(), channels.get))
  return new Map([
    [api.notifications.send, check],
    [api.notifications.preview, check],
  ] as [unknown, BodyCheck][])
}

const list = 'notifications'
const deliveryList = 'deliveries'

/** Creates the notification routes. */
export const createNotificationRoutes = (deps: NotificationRoutesDeps) => {
  const { database, queue, idempotency } = deps
  const accept = createAcceptance(deps)
  const acceptBatch = createBatchAcceptance(deps, accept)
  const readNotification = createNotificationReader(deps)

  return initServer().router(api.notifications, {
    send: async ({ body, req, res }) => {
      const principal = principalOf(res)
      const key = keyOf(req, principal, body)
      const response = await accept({ context: contextOf(res), principal, body, key, onRendered: (bytes) => chargeRendering(res, bytes) })
      res.set(response.headers)
      return { status: 202, body: response.body }
    },

    sendBatch: async ({ body, req, res }) => {
      const { results, headers } = await acceptBatch({
        context: contextOf(res),
        principal: principalOf(res),
        items: body.notifications,
        key: keyOf(req, principalOf(res), body),
        chargeItem: () => chargeItem(res),
        onRendered: (bytes) => chargeRendering(res, bytes),
      })
      res.set(headers)
      return { status: 200, body: { results } }
    },

    preview: async ({ body, res }) => ({
      status: 200,
      body: await previewNotification(deps, principalOf(res), body, (bytes) => chargeRendering(res, bytes)),
    }),

    list: async ({ query, res }) => {
      const { limit, cursor, ...filters } = query
      const principal = principalOf(res)
      const cursorFilters = { ...filters, user_id: principal.userId }
      const before = cursor === undefined ? undefined : decodeCursor(list, cursorFilters, cursor)
      const { rows, examinedTo } = await listNotifications(database, deps, principal, filters, { count: limit + 1, before })
      const { length, toResponse } = await withDeliveries(database, rows.slice(0, limit))
      return { status: 200, body: pageOf({ list, filters: cursorFilters, limit: length, rows, examinedTo, toResponse }) }
    },

    get: async ({ params, query, req, res }) => {
      const { wait = 0 } = query
      const waitOptions = wait > 0 ? { waitMs: wait * 1_000, disconnected: disconnectionOf(res) } : undefined
      const body = await readNotification(principalOf(res), params.notification_id, waitOptions)
      if (waitOptions) await verifyAgain(deps.verifyToken, req.get('authorization'))
      return { status: 200, body }
    },

    deliveries: async ({ params, query, res }) => {
      const { limit, cursor } = query
      const filters = { notification_id: params.notification_id }
      const before = cursor === undefined ? undefined : decodeCursor(deliveryList, filters, cursor)
      const { id } = await getNotification(database, principalOf(res), params.notification_id)
      const rows = await listDeliveries(database, id, limit + 1, before)
      const counts = rows.map((row) => countDeliveryRows(row, maxListedAttempts))
      const length = limitPage(limit, counts)
      const attempts = await attemptsOf(database, rows.slice(0, length), maxListedAttempts)
      const page = pageOf({
        list: deliveryList,
        filters,
        limit: length,
        rows,
        toResponse: (row) => toDeliveryWithAttempts(row, attempts.get(row.id) ?? []),
      })
      return { status: 200, body: page }
    },

    explanation: async ({ params, res }) => ({
      status: 200,
      body: await explainNotification(deps, principalOf(res), params.notification_id),
    }),

    retry: async ({ params, req, res }) => {
      const principal = principalOf(res)
      const context = contextOf(res)
      let requeued = false
      const response = await idempotency.run(
        req,
        principal,
        null,
        async (transaction): Promise<IdempotentResponse<202, ReturnType<typeof toNotification>>> => {
          const row = await retryNotification(transaction, deps, principal, params.notification_id, context)
          requeued = true
          const deliveries = await embeddedDeliveriesOf(transaction, [row.id])
          return { status: 202, body: toNotification(row, deliveries.get(row.id) ?? []) }
        },
      )
      // A replayed response does not requeue anything.
      if (requeued) context.log.info({ notification_id: response.body.id }, 'Notification queued again by an API request.')
      queue.notify()
      res.set(response.headers)
      return { status: 202, body: response.body }
    },

    cancel: async ({ params, req, res }) => {
      const principal = principalOf(res)
      let canceled = false
      const response = await idempotency.run(
        req,
        principal,
        null,
        async (transaction): Promise<IdempotentResponse<200, ReturnType<typeof toNotification>>> => {
          const { row, ...result } = await cancelNotification(transaction, deps, principal, params.notification_id)
          canceled = result.canceled
          const deliveries = await embeddedDeliveriesOf(transaction, [row.id])
          return { status: 200, body: toNotification(row, deliveries.get(row.id) ?? []) }
        },
      )
      if (canceled) contextOf(res).log.info({ notification_id: response.body.id }, 'Notification canceled by an API request.')
      res.set(response.headers)
      return { status: 200, body: response.body }
    },
  })
}
