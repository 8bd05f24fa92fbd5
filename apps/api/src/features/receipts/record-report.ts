import { createHash } from 'node:crypto'
import type { ReceiptReport } from '@flowpost/delivery'
import { canHaveReceipt, type Receipt, toReceipt } from '@flowpost/domain'
import type { Database, Queryable } from '../../database/database.ts'
import { ApiError } from '../../shared/api-error.ts'
import { fromId, toUuid, type Uuid } from '../../shared/ids.ts'
import { findReceiptDelivery, type ReceiptDelivery, type ReceiptDeps, recordReceipt } from '../delivery/receipts/record-receipt.ts'
import type { InboundSource } from './inbound-source.ts'

/** The dependencies of {@link recordReport}. */
export interface RecordReportDeps extends ReceiptDeps {
  readonly database: Database
  /** Whether to store the text in a provider's report, which can quote parts of a message. */
  readonly logContent: boolean
}

/** The result of recording a report. The inbound route responds with the field `result`. */
export type ReportResult =
  | { readonly result: 'recorded'; readonly delivery: ReceiptDelivery; readonly receipt: Receipt }
  | { readonly result: 'unchanged' | 'ignored' }

const ignored: ReportResult = { result: 'ignored' }

const digestOf = (source: InboundSource, nonce: string): Uuid => {
  const hex = createHash('sha256').update(`${source.id}\0${nonce}`).digest('hex')
  return toUuid(hex.slice(0, 32))
}

const useNonce = {
  name: 'use-report-nonce',
  text: 'insert into report_nonces (digest, expires_at) values ($1, $2) on conflict (digest) do nothing returning digest',
}

/** Stores a report's nonce, if it has one. @throws ApiError `report_rejected` if the nonce was used before. */
const requireNewNonce = async (transaction: Queryable, source: InboundSource, { nonce }: ReceiptReport): Promise<void> => {
  if (!nonce) return
  const inserted = await transaction.query(useNonce, [digestOf(source, nonce.value), nonce.expiresAt])
  if (inserted.length === 0) throw new ApiError('report_rejected', 'The report has already been received.')
}

/**
 * Records a report's receipt and nonce in one transaction. If the transaction fails, the nonce is not stored, so the
 * provider can send the report again. Ignores reports about messages that `source` did not send or that are no longer stored.
 * @throws ApiError `report_rejected` if the nonce was used before, or `unavailable` if the recipient must be suppressed and
 * this process has no digest key.
 */
export const recordReport = async (deps: RecordReportDeps, source: InboundSource, report: ReceiptReport): Promise<ReportResult> => {
  const { database, clock, logContent } = deps
  const id = fromId('delivery', report.deliveryId)
  const delivery = id === undefined ? undefined : await findReceiptDelivery(database, id)
  // A captured message never reached the provider.
  if (!delivery || delivery.captured || !source.hasSent(delivery) || !canHaveReceipt({ attemptCount: delivery.attempt_count }))
    return ignored
  // The text of a report is not stored in two cases:
  // - `logContent` is off. The text can quote the message, which must not remain stored.
  // - The message was sent with the deployment's credential. The text can name hosts in the deployment's network.
  const detail = logContent && !source.isDeployment ? report.receipt.detail : undefined
  const receipt = toReceipt({ ...report.receipt, detail }, clock.now())
  const isRecorded = await database.transaction(async (transaction) => {
    await requireNewNonce(transaction, source, report)
    return recordReceipt(transaction, deps, delivery, receipt)
  })
  return isRecorded ? { result: 'recorded', delivery, receipt } : { result: 'unchanged' }
}
