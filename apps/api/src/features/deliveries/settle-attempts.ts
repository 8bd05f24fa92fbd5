import type { Database, Transaction } from '../../database/database.ts'
import { isOneOf, statusOf } from '../../database/planner.ts'
import type { Queue } from '../../queue/queue.ts'
import type { Clock } from '../../shared/clock.ts'
import type { Uuid } from '../../shared/ids.ts'
import { recordFlowHealth } from '../flows/flow-health.ts'
import { storeCapturedMessages } from './captured-messages.ts'
import { removeContents } from './contents.ts'
import { enqueueDeliveries } from './delivery-jobs.ts'
import { type EndedAttempt, recordedOutcome } from './outcome.ts'
import { rollUpNotifications } from './roll-up.ts'

/** What settling needs. */
export interface SettleDeps {
  readonly database: Database
  readonly queue: Queue
  readonly clock: Clock
  /** Whether messages are kept beyond delivery. */
  readonly logContent: boolean
}

/**
 * Records how attempts ended, all in one transaction: the attempt, the delivery, the notification's
 * status, and the job done, with a new one for a retry. An attempt that is no longer its delivery's,
 * because its lease ran out and another process has begun one since, changes nothing.
 * @returns the attempts that were recorded.
 */
export const settleAttempts = async (deps: SettleDeps, ended: readonly EndedAttempt[]): Promise<readonly EndedAttempt[]> => {
  const { database, queue, clock } = deps
  return database.transaction(async (transaction) => {
    await lockNotifications(transaction, ended)
    const settled = await settleDeliveries(transaction, clock, ended)
    const current = ended.filter(({ attempt }) => settled.has(attempt.attempt_id))
    await settleRecords(transaction, current)
    await storeCapturedMessages(transaction, clock, current)
    if (!deps.logContent)
      await removeContents(
        transaction,
        current.flatMap(({ attempt }) => (settled.get(attempt.attempt_id) === 'retrying' ? [] : attempt)),
      )
    await rollUpNotifications(transaction, clock, [...new Set(current.map(({ attempt }) => attempt.notification_id))])
    await recordFlowHealth(transaction, clock, current)
    const retries = current.filter(({ attempt }) => settled.get(attempt.attempt_id) === 'retrying')
    await enqueueDeliveries(
      transaction,
      queue,
      retries.map(({ attempt, outcome }) => ({ ...attempt, runAt: outcome.status === 'retrying' ? outcome.at : undefined })),
    )
    await queue.complete(
      transaction,
      ended.map(({ job }) => job),
    )
    return current
  })
}

const lock = {
  name: 'settle-lock',
  text: `select 1 from notifications where ${isOneOf('id', '$1')} order by id for update`,
}

const lockNotifications = async (transaction: Transaction, ended: readonly EndedAttempt[]): Promise<void> => {
  await transaction.query(lock, [ended.map(({ attempt }) => attempt.notification_id)])
}

const settle = {
  name: 'settle-deliveries',
  text: `update deliveries d set
      status = case when r.status = 'retrying' and d.cancel_requested then 'canceled' else r.status end,
      failure = r.failure,
      next_attempt_at = case when d.cancel_requested then null else r.next_attempt_at end,
      provider_message_id = coalesce(r.provider_message_id, d.provider_message_id),
      sent_at = case when r.status = 'sent' then $3::timestamptz end,
      settled_at = case when r.status <> 'retrying' or d.cancel_requested then $3::timestamptz end
    from jsonb_to_recordset($2::jsonb)
      as r(id uuid, attempt_id uuid, status text, failure jsonb, next_attempt_at timestamptz, provider_message_id text)
    where ${isOneOf('d.id', '$1')} and d.id = r.id and d.attempt_id = r.attempt_id and ${statusOf('d')} = 'sending'
    returning d.attempt_id, d.status`,
}

/** Gives the status that each attempt has brought its delivery to, for those that still may. */
const settleDeliveries = async (transaction: Transaction, clock: Clock, ended: readonly EndedAttempt[]): Promise<Map<Uuid, string>> => {
  const rows = ended.map(({ attempt, outcome }) => ({
    id: attempt.id,
    attempt_id: attempt.attempt_id,
    status: outcome.status,
    failure: outcome.status === 'sent' ? null : outcome.failure,
    next_attempt_at: outcome.status === 'retrying' ? outcome.at : null,
    provider_message_id: outcome.status === 'sent' ? outcome.providerMessageId : null,
  }))
  const values = [rows.map(({ id }) => id), JSON.stringify(rows), clock.now()]
  const settled = await transaction.query<{ attempt_id: Uuid; status: string }>(settle, values)
  return new Map(settled.map((row) => [row.attempt_id, row.status]))
}

const record = {
  name: 'settle-records',
  text: `update attempts a set duration_ms = r.duration_ms, outcome = r.outcome, provider_response = r.provider_response
    from jsonb_to_recordset($2::jsonb) as r(id uuid, duration_ms int, outcome text, provider_response text)
    where ${isOneOf('a.id', '$1')} and a.id = r.id`,
}

const settleRecords = async (transaction: Transaction, ended: readonly EndedAttempt[]): Promise<void> => {
  const rows = ended.map(({ attempt, outcome, durationMs }) => ({
    id: attempt.attempt_id,
    duration_ms: durationMs,
    outcome: recordedOutcome(outcome),
    provider_response: outcome.response,
  }))
  await transaction.query(record, [rows.map(({ id }) => id), JSON.stringify(rows)])
}
