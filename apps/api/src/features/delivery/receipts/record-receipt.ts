import { type Channels, isSuppressing, mergeReceipts, type Receipt, withoutTexts } from '@flowpost/domain'
import type { Queryable, Transaction } from '../../../database/database.ts'
import type { Clock } from '../../../shared/clock.ts'
import { hasEventEndpoint, type RecordEvents } from '../../../shared/event-facts.ts'
import type { Uuid } from '../../../shared/ids.ts'
import { parseErasedTarget } from '../recipients/erased-target.ts'
import type { RecipientDigest, Recipients } from '../recipients/recipients.ts'
import { suppress } from '../suppressions/suppress.ts'

/** A delivery that a receipt is about. */
export interface ReceiptDelivery {
  readonly id: Uuid
  readonly notification_id: Uuid
  readonly user_id: string
  readonly project_id: Uuid
  readonly source_type: string
  readonly target: string
  readonly captured: boolean
  readonly test: boolean
  readonly attempt_count: number
}

/** The dependencies of {@link recordReceipt}. */
export interface ReceiptDeps {
  readonly clock: Clock
  readonly channels: Channels
  readonly recipients: Recipients
  readonly recordEvents: RecordEvents
}

const columns = `id, notification_id, user_id, project_id, source_type, target, captured, test is true as test, attempt_count`

const find = { name: 'receipt-delivery', text: `select ${columns} from deliveries where id = $1` }

/** Reads a delivery by its id. The caller must check who owns the delivery. */
export const findReceiptDelivery = async (on: Queryable, id: Uuid): Promise<ReceiptDelivery | undefined> => {
  const [row] = await on.query<ReceiptDelivery>(find, [id])
  return row
}

const lockProject = { name: 'lock-receipt-project', text: 'select 1 from projects where id = $1 for key share' }
const lock = { name: 'lock-receipt', text: `select target, receipt from deliveries where id = $1 for no key update` }
const update = {
  name: 'record-receipt',
  text: `update deliveries d set receipt = $2::jsonb where d.id = $1 returning ${hasEventEndpoint('d.project_id')} as has_events`,
}

/**
 * Records a delivery's receipt, unless `mergeReceipts` keeps the current one. A complaint, or a bounce that the address may
 * have caused, also adds the recipient to the project's suppression list, in the same transaction.
 *
 * Adding a suppression locks the project. The lock order in `recordOutcomes` puts the project before the delivery, so this
 * function locks the project first.
 * @returns whether the receipt was recorded.
 */
export const recordReceipt = async (
  transaction: Transaction,
  deps: ReceiptDeps,
  delivery: ReceiptDelivery,
  received: Receipt,
): Promise<boolean> => {
  const projects = await transaction.query(lockProject, [delivery.project_id])
  const [row] = await transaction.query<{ target: string; receipt: Receipt | null }>(lock, [delivery.id])
  if (!row) return false
  // For an erased recipient, the receipt is stored without its texts, because a mail server's text often contains the address.
  const erasedDigest = parseErasedTarget(row.target)
  const kept = mergeReceipts(row.receipt, erasedDigest === undefined ? received : withoutTexts(received))
  if (kept === row.receipt) return false
  const [updated] = await transaction.query<{ has_events: boolean }>(update, [delivery.id, JSON.stringify(kept)])
  if (projects.length > 0) await suppressRecipient(transaction, deps, delivery, kept, erasedDigest)
  if (updated?.has_events) {
    const { id: deliveryId, notification_id: notificationId, project_id: projectId } = delivery
    await deps.recordEvents(transaction, [{ type: 'delivery.receipt', projectId, notificationId, deliveryId }])
  }
  return true
}

/**
 * Suppresses the delivery's recipient after a complaint, or after a bounce that the address may have caused. Does nothing
 * if the message was captured, because a simulated complaint must not block later messages to the recipient.
 * @param erasedDigest the digest of an erased recipient; `undefined` for any other recipient. If given, no address is stored.
 */
const suppressRecipient = async (
  transaction: Transaction,
  { clock, channels, recipients }: ReceiptDeps,
  { user_id, project_id, source_type, target, captured }: ReceiptDelivery,
  receipt: Receipt,
  erasedDigest: RecipientDigest | undefined,
): Promise<void> => {
  if (captured || !isSuppressing(receipt)) return
  await suppress(transaction, clock, {
    projectId: project_id,
    // An email address is suppressed for all providers, because a bad address fails with every email provider. A chat
    // channel is suppressed only for its own provider, because no other provider has that channel.
    recipients: [
      {
        digest: erasedDigest ?? recipients.identityOf(user_id, source_type, target),
        sourceType: channels.get(source_type)?.kind === 'email' ? undefined : source_type,
        target: erasedDigest === undefined ? target : null,
      },
    ],
    reason: receipt.status === 'complained' ? 'complaint' : 'bounce',
    source: 'receipt',
  })
}
