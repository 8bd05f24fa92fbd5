import { api } from '@flowpost/contract'
import { initServer } from '@ts-rest/express'
import type { Database, UnitOfWork } from '../../database/database.ts'
import type { BodyCheck } from '../../http/check-bodies.ts'
import type { Idempotency } from '../../http/idempotency.ts'
import { decodeCursor, pageOf } from '../../http/pagination.ts'
import { principalOf } from '../../http/request-context.ts'
import type { Clock } from '../../shared/clock.ts'
import { listApiKeys } from './api-key.queries.ts'
import { toApiKey } from './api-key.serializer.ts'
import { createChildKey, findExcessRights } from './create-child-key.ts'
import { revokeKey } from './revoke-key.ts'

/** The dependencies of {@link createApiKeyRoutes}. */
export interface ApiKeyRoutesDeps {
  readonly database: Database
  readonly clock: Clock
  readonly idempotency: Idempotency
}

const list = 'api-keys'

/** Creates the API key routes. */
export const createApiKeyRoutes = ({ database, clock, idempotency }: ApiKeyRoutesDeps) =>
  initServer().router(api.apiKeys, {
    create: async ({ body, req, res }) => {
      const principal = principalOf(res)
      const work = async (transaction: UnitOfWork) => {
        const { row, token } = await createChildKey(transaction, clock, principal, body)
        const key = toApiKey(row)
        return { status: 201, body: { ...key, key: token }, headers: { Location: `/v1/settings/api-keys/${key.id}` } } as const
      }
      const response = await idempotency.run(req, principal, body, work, { replayable: false })
      res.set(response.headers)
      return { status: 201, body: response.body }
    },

    list: async ({ query, res }) => {
      const { limit, cursor } = query
      const principal = principalOf(res)
      const filters = { user_id: principal.userId }
      const after = cursor === undefined ? undefined : decodeCursor(list, filters, cursor)
      const rows = await listApiKeys(database, principal, limit + 1, after)
      return { status: 200, body: pageOf({ list, filters, limit, rows, toResponse: toApiKey }) }
    },

    delete: async ({ params, res }) => {
      const principal = principalOf(res)
      await database.unitOfWork((transaction) => revokeKey(transaction, clock, principal, params.key_id))
      return { status: 204, body: undefined }
    },
  })

/**
 * Returns a check for `BodyChecks.late`: a new key must have no more rights than the credential that creates it. The check
 * runs only if the request has failed another check. Otherwise, `createChildKey` checks the rights.
 */
export const lateApiKeyChecks = ({ clock }: { clock: Clock }): ReadonlyMap<unknown, BodyCheck> =>
  new Map([[api.apiKeys.create, async (request, principal) => findExcessRights(principal, clock.now(), request.body)]])
