import { api } from '@flowpost/contract'
import { initServer } from '@ts-rest/express'
import type { Database, UnitOfWork } from '../../database/database.ts'
import { decodeCursor, pageOf } from '../../http/cursor.ts'
import type { Idempotency } from '../../http/idempotency.ts'
import { principalOf } from '../../http/request-context.ts'
import type { Clock } from '../../shared/clock.ts'
import { listApiKeys } from './api-key.queries.ts'
import { toApiKey } from './api-key.serializer.ts'
import { createChildKey } from './create-child-key.ts'
import { revokeKey } from './revoke-key.ts'

/** What the routes of API keys need. */
export interface ApiKeyRoutesDeps {
  readonly database: Database
  readonly clock: Clock
  readonly idempotency: Idempotency
}

const list = 'api-keys'

/** The routes of API keys. */
export const createApiKeyRoutes = (deps: ApiKeyRoutesDeps) => {
  const { database, clock, idempotency } = deps

  return initServer().router(api.apiKeys, {
    create: async ({ body, req, res }) => {
      const principal = principalOf(res)
      const work = async (transaction: UnitOfWork) => {
        const { row, token } = await createChildKey(transaction, clock, principal, body)
        const key = toApiKey(row)
        return { status: 201, body: { ...key, key: token }, headers: { Location: `/v1/settings/api-keys/${key.id}` } } as const
      }
      const answer = await idempotency.run(req, principal, body, work, { replayable: false })
      res.set(answer.headers)
      return { status: 201, body: answer.body }
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
}
