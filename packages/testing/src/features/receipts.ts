import { ApiError, notFound, requireRecordingMode } from '@flowpost/contract/rules'
import { canHaveReceipt, isSuppressing, mergeReceipts, type Receipt, recipientKey, toReceipt, withoutTexts } from '@flowpost/domain'
import type { EventLog } from '../events/event-log.ts'
import type { Handlers, Principal } from '../http/handler.ts'
import { channelsOf, type MockContext, providerOf } from '../state/mock-context.ts'
import type { DeliveryRecord } from '../state/store.ts'
import { toDelivery } from './notification.serializer.ts'
import { suppress } from './suppressions.ts'

/**
 * Returns a delivery that the principal may access.
 *
 * @throws {ApiError} `not_found`.
 */
const findDelivery = ({ store }: MockContext, principal: Principal, id: string | undefined): DeliveryRecord => {
  for (const { userId, project_id, deliveries } of store.notifications.values()) {
    const delivery = deliveries.find((candidate) => candidate.id === id)
    if (delivery && userId === principal.userId && (principal.projectId ?? project_id) === project_id) return delivery
  }
  throw notFound()
}

const suppressRecipient = (context: MockContext, delivery: DeliveryRecord, receipt: Receipt): void => {
  const { notification, source_type, target, erasedKey } = delivery
  if (!context.store.projects.has(notification.project_id)) return
  suppress(context, {
    projectId: notification.project_id,
    key: erasedKey ?? recipientKey(channelsOf(context), source_type, target),
    target,
    source_type: providerOf(context, source_type)?.kind === 'email' ? null : source_type,
    reason: receipt.status === 'complained' ? 'complaint' : 'bounce',
    source: 'receipt',
  })
}

/**
 * Records a receipt, unless the delivery's current receipt takes precedence. Like the server, suppresses the recipient after a
 * complaint, and after a bounce that the address may have caused. Does not suppress the recipient of a captured message,
 * because captured messages are not sent.
 */
const recordReceipt = (context: MockContext, events: EventLog, delivery: DeliveryRecord, received: Receipt): void => {
  const isErased = delivery.target.startsWith('erased:')
  const kept = mergeReceipts(delivery.receipt, isErased ? withoutTexts(received) : received)
  if (kept === delivery.receipt) return
  delivery.receipt = kept
  if (isSuppressing(kept) && !delivery.captured) suppressRecipient(context, delivery, kept)
  events.recordReceipt(delivery)
}

/** Creates the handlers of the delivery operations. */
export const createDeliveries = (context: MockContext, events: EventLog): Handlers<'deliveries'> => ({
  recordReceipt: ({ principal, params, body: { at, ...report } }) => {
    const delivery = findDelivery(context, principal, params.delivery_id)
    requireRecordingMode(principal, delivery.notification)
    if (!canHaveReceipt({ attemptCount: delivery.attempt_count }))
      throw new ApiError('delivery_not_attempted', 'No attempt was made to send the message, so it cannot have a receipt.')
    const received = toReceipt({ ...report, at: at === undefined ? undefined : new Date(at) }, new Date(context.clock.now()))
    recordReceipt(context, events, delivery, received)
    return { status: 200, body: toDelivery(delivery) }
  },
})
