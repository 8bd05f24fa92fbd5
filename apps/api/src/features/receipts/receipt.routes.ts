import { api } from '@flowpost/contract'
import { requireRecordingMode } from '@flowpost/contract/rules'
import { canHaveReceipt, toReceipt } from '@flowpost/domain'
import { initServer } from '@ts-rest/express'
import type { Principal } from '../../auth/principal.ts'
import type { Queryable, UnitOfWork } from '../../database/database.ts'
import type { Idempotency } from '../../http/idempotency.ts'
import { contextOf, principalOf } from '../../http/request-context.ts'
import { ApiError, notFound } from '../../shared/api-error.ts'
import { fromId } from '../../shared/ids.ts'
import { findReceiptDelivery, type ReceiptDelivery, type ReceiptDeps, recordReceipt } from '../delivery/receipts/record-receipt.ts'
import { getDelivery } from '../notifications/notification.queries.ts'
import { toDelivery } from '../notifications/notification.serializer.ts'
import { logReceipt } from './log-receipt.ts'

/** The dependencies of {@link createReceiptRoutes}. */
export interface ReceiptRoutesDeps extends ReceiptDeps {
  readonly idempotency: Idempotency
}

/** Reads a delivery that the principal may access. @throws ApiError `not_found`. */
const getReceiptDelivery = async (on: Queryable, principal: Principal, id: string): Promise<ReceiptDelivery> => {
  const uuid = fromId('delivery', id)
  const delivery = uuid === undefined ? undefined : await findReceiptDelivery(on, uuid)
  const isVisible = delivery?.user_id === principal.userId && (principal.projectId ?? delivery.project_id) === delivery.project_id
  if (!delivery || !isVisible) throw notFound()
  return delivery
}

/** Creates the delivery receipt routes. */
export const createReceiptRoutes = (deps: ReceiptRoutesDeps) =>
  initServer().router(api.deliveries, {
    recordReceipt: async ({ params, body, req, res }) => {
      const principal = principalOf(res)
      const { at, ...report } = body
      const received = toReceipt({ ...report, at: at === undefined ? undefined : new Date(at) }, deps.clock.now())
      let recorded: ReceiptDelivery | undefined
      const response = await deps.idempotency.run(req, principal, body, async (transaction: UnitOfWork) => {
        const delivery = await getReceiptDelivery(transaction, principal, params.delivery_id)
        requireRecordingMode(principal, delivery)
        if (!canHaveReceipt({ attemptCount: delivery.attempt_count }))
          throw new ApiError('delivery_not_attempted', 'No attempt was made to send the message, so it cannot have a receipt.')
        recorded = (await recordReceipt(transaction, deps, delivery, received)) ? delivery : undefined
        return { status: 200, body: toDelivery(await getDelivery(transaction, delivery.id)) } as const
      })
      if (recorded) logReceipt(contextOf(res).log, recorded, received, 'api')
      res.set(response.headers)
      return { status: 200, body: response.body }
    },
  })
