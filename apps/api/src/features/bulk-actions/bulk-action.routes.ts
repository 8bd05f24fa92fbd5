import { api } from '@flowpost/contract'
import { findBulkActionErrors } from '@flowpost/contract/rules'
import { initServer } from '@ts-rest/express'
import { type VerifyToken, verifyAgain } from '../../auth/authenticate.ts'
import type { Database } from '../../database/database.ts'
import type { BodyCheck } from '../../http/check-bodies.ts'
import { disconnectionOf } from '../../http/disconnection.ts'
import type { Idempotency } from '../../http/idempotency.ts'
import { type IdempotentResponse, keyOf } from '../../http/idempotency-key.ts'
import { decodeCursor, pageOf } from '../../http/pagination.ts'
import { contextOf, principalOf } from '../../http/request-context.ts'
import type { Clock } from '../../shared/clock.ts'
import { getBulkAction, listBulkActions } from './bulk-action.queries.ts'
import { toBulkAction } from './bulk-action.serializer.ts'
import { notifyRunners } from './bulk-action-runner.ts'
import { createBulkAction } from './create-bulk-action.ts'
import { previewBulkAction } from './preview-bulk-action.ts'
import { type BulkActionReaderDeps, waitForBulkAction } from './read-bulk-action.ts'
import { stopBulkAction } from './stop-bulk-action.ts'

/** The dependencies of {@link createBulkActionRoutes}. */
export interface BulkActionRoutesDeps extends BulkActionReaderDeps {
  readonly database: Database
  readonly clock: Clock
  readonly idempotency: Idempotency
  readonly verifyToken: VerifyToken
}

type Preview = Awaited<ReturnType<typeof previewBulkAction>>
type ActionResponse<Status extends number> = IdempotentResponse<Status, ReturnType<typeof toBulkAction>>

const list = 'bulk-actions'

/** Creates the bulk action routes. */
export const createBulkActionRoutes = (deps: BulkActionRoutesDeps) => {
  const { database, clock, idempotency } = deps

  return initServer().router(api.bulkActions, {
    create: async ({ body, req, res }) => {
      const principal = principalOf(res)
      const context = contextOf(res)
      if (body.dry_run) {
        // The preview runs outside a transaction, because a transaction would block the embedded database during the count.
        // The stored response is read first, because a repeated request must get this response even if the project has since
        // been deleted. A new preview would then fail.
        const key = keyOf(req, principal, body)
        const replayed = key && (await idempotency.find<200, Preview>(key))
        const preview = replayed?.body ?? (await previewBulkAction(database, principal, body))
        const response = await idempotency.run(req, principal, body, async () => ({ status: 200, body: preview }))
        res.set(response.headers)
        return { status: 200, body: response.body }
      }
      let created = false
      const response = await idempotency.run(req, principal, body, async (transaction): Promise<ActionResponse<202>> => {
        const action = toBulkAction(await createBulkAction(transaction, clock, principal, body, context))
        created = true
        return { status: 202, body: action, headers: { Location: `/v1/bulk-actions/${action.id}` } }
      })
      if (created) context.log.info({ bulk_action_id: response.body.id, action: body.action }, 'Bulk action created.')
      notifyRunners(database, context.log)
      res.set(response.headers)
      return { status: 202, body: response.body }
    },

    list: async ({ query, res }) => {
      const { limit, cursor } = query
      const principal = principalOf(res)
      const filters = { user_id: principal.userId }
      const before = cursor === undefined ? undefined : decodeCursor(list, filters, cursor)
      const rows = await listBulkActions(database, principal, limit + 1, before)
      return { status: 200, body: pageOf({ list, filters, limit, rows, toResponse: toBulkAction }) }
    },

    get: async ({ params, query, req, res }) => {
      const { wait = 0 } = query
      const principal = principalOf(res)
      if (wait === 0) return { status: 200, body: toBulkAction(await getBulkAction(database, principal, params.action_id)) }
      const options = { waitMs: wait * 1_000, disconnected: disconnectionOf(res) }
      const row = await waitForBulkAction(deps, principal, params.action_id, options)
      await verifyAgain(deps.verifyToken, req.get('authorization'))
      return { status: 200, body: toBulkAction(row) }
    },

    stop: async ({ params, req, res }) => {
      const principal = principalOf(res)
      let stopped = false
      const response = await idempotency.run(req, principal, null, async (transaction): Promise<ActionResponse<200>> => {
        const { row, ...result } = await stopBulkAction(transaction, clock, principal, params.action_id)
        stopped = result.stopped
        return { status: 200, body: toBulkAction(row) }
      })
      if (stopped) contextOf(res).log.info({ bulk_action_id: response.body.id }, 'Bulk action stopped by an API request.')
      res.set(response.headers)
      return { status: 200, body: response.body }
    },
  })
}

/**
 * The body checks of the bulk action routes. For example, they reject the action `cancel` for deliveries with the
 * status `failed`.
 */
export const bulkActionBodyChecks: ReadonlyMap<unknown, BodyCheck> = new Map([
  [api.bulkActions.create, async (request) => findBulkActionErrors(request.body)],
])
