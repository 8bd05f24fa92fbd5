import { toReceipt } from '@flowpost/domain'
import type { Transaction } from '../../../database/database.ts'
import { anyUuid } from '../../../database/query-hints.ts'
import type { Clock } from '../../../shared/clock.ts'
import { type EventFact, hasEventEndpoint } from '../../../shared/event-facts.ts'
import type { Uuid } from '../../../shared/ids.ts'
import type { FinishedAttempt } from '../attempts/record-outcomes.ts'

const store = {
  name: 'simulated-receipts',
  text: `update deliveries d set receipt = r.receipt from jsonb_to_recordset($2::jsonb) as r(id uuid, receipt jsonb)
    where ${anyUuid('d.id', '$1')} and d.id = r.id
    returning d.id, d.notification_id, d.project_id, ${hasEventEndpoint('d.project_id')} as has_events`,
}

interface StoredReceipt {
  readonly id: Uuid
  readonly notification_id: Uuid
  readonly project_id: Uuid
  readonly has_events: boolean
}

/**
 * Stores the receipts that simulated recipients send, in the transaction that records the outcomes. Runs no statement
 * if there are no receipts. Returns an {@link EventFact} for each receipt in a project with an active event endpoint.
 */
export const storeSimulatedReceipts = async (
  transaction: Transaction,
  clock: Clock,
  recorded: readonly FinishedAttempt[],
): Promise<EventFact[]> => {
  const rows = recorded.flatMap(({ attempt, outcome }) =>
    outcome.status === 'sent' && outcome.receipt ? [{ id: attempt.id, receipt: toReceipt(outcome.receipt, clock.now()) }] : [],
  )
  if (rows.length === 0) return []
  const stored = await transaction.query<StoredReceipt & object>(store, [rows.map(({ id }) => id), JSON.stringify(rows)])
  return stored.flatMap(({ id: deliveryId, notification_id: notificationId, project_id: projectId, has_events }): EventFact[] =>
    has_events ? [{ type: 'delivery.receipt', projectId, notificationId, deliveryId }] : [],
  )
}
