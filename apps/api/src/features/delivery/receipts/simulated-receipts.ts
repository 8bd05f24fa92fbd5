import { toReceipt } from '@flowpost/domain'
import type { Transaction } from '../../../database/database.ts'
import { anyUuid } from '../../../database/query-hints.ts'
import type { Clock } from '../../../shared/clock.ts'
import type { FinishedAttempt } from '../attempts/record-outcomes.ts'

const store = {
  name: 'simulated-receipts',
  text: `update deliveries d set receipt = r.receipt from jsonb_to_recordset($2::jsonb) as r(id uuid, receipt jsonb)
    where ${anyUuid('d.id', '$1')} and d.id = r.id`,
}

/**
 * Stores the receipts that simulated recipients send, in the transaction that records the outcomes of the test messages. Other
 * messages cost no statement.
 */
export const storeSimulatedReceipts = async (
  transaction: Transaction,
  clock: Clock,
  recorded: readonly FinishedAttempt[],
): Promise<void> => {
  const rows = recorded.flatMap(({ attempt, outcome }) =>
    outcome.status === 'sent' && outcome.receipt ? [{ id: attempt.id, receipt: toReceipt(outcome.receipt, clock.now()) }] : [],
  )
  if (rows.length > 0) await transaction.query(store, [rows.map(({ id }) => id), JSON.stringify(rows)])
}
