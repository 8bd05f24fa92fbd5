import type { Receipt } from '@flowpost/domain'
import type { Logger } from 'pino'
import { toId } from '../../shared/ids.ts'
import type { ReceiptDelivery } from '../delivery/receipts/record-receipt.ts'

/**
 * Logs a recorded receipt. The log line contains ids and the status, but neither the target nor text from a provider.
 */
export const logReceipt = (log: Logger, delivery: ReceiptDelivery, { status }: Pick<Receipt, 'status'>, source: 'api' | 'inbound'): void =>
  log.info(
    {
      notification_id: toId('notification', delivery.notification_id),
      delivery_id: toId('delivery', delivery.id),
      source_type: delivery.source_type,
      receipt: status,
      source,
    },
    'Receipt recorded.',
  )
