import { api } from '@flowpost/contract'
import type { Channels } from '@flowpost/domain'
import { initServer } from '@ts-rest/express'
import type { Database } from '../../database/database.ts'
import type { BodyCheck } from '../../http/check-bodies.ts'
import type { Idempotency } from '../../http/idempotency.ts'
import { contextOf, principalOf } from '../../http/request-context.ts'
import { checkRecipient } from '../delivery/recipients/check-recipient.ts'
import { getErasure } from './erasure.queries.ts'
import { toErasure } from './erasure.serializer.ts'
import { notifyErasures } from './erasure-queue.ts'
import { type RequestErasureDeps, requestErasure } from './request-erasure.ts'

/** The dependencies of {@link createErasureRoutes}. */
export interface ErasureRoutesDeps extends RequestErasureDeps {
  readonly database: Database
  readonly idempotency: Idempotency
}

/** Creates the erasure routes. */
export const createErasureRoutes = (deps: ErasureRoutesDeps) => {
  const { database, idempotency } = deps

  return initServer().router(api.erasures, {
    create: async ({ body, req, res }) => {
      const principal = principalOf(res)
      const response = await idempotency.run(req, principal, body, async (transaction) => {
        const erasure = toErasure(await requestErasure(transaction, deps, principal, body))
        return { status: 202, body: erasure, headers: { Location: `/v1/erasures/${erasure.id}` } }
      })
      contextOf(res).log.info({ erasure_id: response.body.id, block: response.body.block }, 'Erasure requested.')
      await notifyErasures(database)
      res.set(response.headers)
      return { status: 202, body: response.body }
    },

    get: async ({ params, res }) => ({
      status: 200,
      body: toErasure(await getErasure(database, principalOf(res).userId, params.erasure_id)),
    }),
  })
}

/** Returns the body checks of the erasure routes. They reject a `target` that is not a valid recipient. */
export const erasureBodyChecks = ({ channels }: { readonly channels: Channels }): ReadonlyMap<unknown, BodyCheck> =>
  new Map([[api.erasures.create, checkRecipient(channels)]])
