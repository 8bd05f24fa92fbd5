import { setTimeout as sleep } from 'node:timers/promises'
import { idempotencyKeyTtlMs } from '@flowpost/contract/rules'
import type { Logger } from 'pino'
import type { Database } from '../../database/database.ts'
import type { Clock } from '../../shared/clock.ts'
import { firstUuidOf, lowestUuid, type Uuid } from '../../shared/ids.ts'
import { createPeriodicTask, type PeriodicTask } from '../../shared/periodic-task.ts'

/** The dependencies of {@link createRetention}. */
export interface RetentionDeps {
  readonly database: Database
  readonly clock: Clock
  readonly log: Logger
  /**
   * How long, in milliseconds, to store subjects and messages. The time starts when the notification is completed or, for a
   * captured message, when it is captured.
   */
  readonly contentMs: number
  /**
   * How long, in milliseconds, to keep a notification (with its deliveries and attempts) or a bulk action after its
   * completion, and an API key after its revocation or expiry. Two kinds of keys are never removed: bootstrap keys, and
   * keys that have neither an expiry nor a parent key.
   */
  readonly logMs: number
  /** How long, in milliseconds, to store events. */
  readonly eventsMs: number
  /** How long, in milliseconds, to store the settings history. */
  readonly historyMs: number
}

/** Removes expired rows from the database. */
export interface Retention extends PeriodicTask {
  /**
   * Removes all expired rows, in batches. Each kind of row has its own step. If one fails, the later steps still run.
   * @throws {AggregateError} with an error for each failed step.
   */
  run(signal?: AbortSignal): Promise<void>
}

const everyMs = 10 * 60_000
const batchSize = 500
// A batch of notifications ends early when its notifications have this many deliveries in total. Without this limit, deleting
// 500 large notifications would exceed the statement timeout. The last notification may exceed the limit, but it has at most
// 1,000 deliveries, so a batch has fewer than 3,000.
const maxDeliveries = 2_000
const betweenBatchesMs = 20
const dayMs = 24 * 3_600_000

// Reads message bodies in pages, in the order in which their notifications were created. Deletes the bodies of the
// notifications that were completed before `$1`.
// - The search ends at the id `$3`, because notifications with higher ids were created, and thus completed, after `$1`.
// - The pages are not selected by completion time. Otherwise, each run would also read all notifications whose bodies are
//   already deleted.
// - The statement locks the notifications, so that no notification is retried while its bodies are being deleted.
const bodies = `
  with page as materialized (
    select notification_id from message_bodies where notification_id > $2 and notification_id < $3 order by notification_id limit ${batchSize}
  ), due as materialized (
    select id from notifications where id = any(array(select notification_id from page)) and settled_at < $1
    order by id for update skip locked
  ), deleted_bodies as (
    delete from message_bodies where notification_id = any(array(select id from due))
  )
  select page.notification_id as id, due.id is not null as removed from page left join due on due.id = page.notification_id order by 1`

// Each statement returns one row for each row that it removes from its main table. `skip locked` prevents a statement from
// waiting for a lock while it holds others.
const steps = {
  captured: `delete from captured_messages where delivery_id in (
      select delivery_id from captured_messages where captured_at < $1 order by captured_at limit ${batchSize} for update skip locked
    ) returning 1`,
  // Removes notifications with all their deliveries. `counted` has one row for each delivery, with the notification's id, and
  // has at most `maxDeliveries` rows. Only the notifications in `counted` are removed. The inner `limit` does not change the
  // rows of `counted`. It makes PostgreSQL look up the deliveries of one notification at a time.
  log: `with page as materialized (
      select id from notifications where settled_at < $1 order by settled_at limit ${batchSize}
    ), counted as materialized (
      select page.id from page left join lateral (
        select 1 from deliveries d where d.notification_id = page.id limit ${maxDeliveries}
      ) delivery on true limit ${maxDeliveries}
    ), due as materialized (
      select id from notifications where id = any(array(select id from counted)) and settled_at < $1 order by id for update skip locked
    ), deleted_deliveries as (
      delete from deliveries where notification_id in (select id from due) returning id, notification_id, recipient_digest
    ), deleted_digests as (
      delete from recipient_digests r using deleted_deliveries d
      where r.digest = any(array(select recipient_digest from deleted_deliveries)) and r.digest = d.recipient_digest
        and r.notification_id = d.notification_id and r.delivery_id = d.id
    ), deleted_attempts as (
      delete from attempts where delivery_id in (select id from deleted_deliveries)
    ), deleted_bodies as (
      delete from message_bodies where notification_id in (select id from due)
    )
    delete from notifications where id in (select id from due) returning 1`,
  idempotencyKeys: `delete from idempotency_keys where (user_id, operation, key) in (
      select user_id, operation, key from idempotency_keys where created_at < $1 order by created_at limit ${batchSize} for update skip locked
    ) returning 1`,
  // Keeps all bootstrap keys, and all keys with neither a parent nor an expiry. There are few such keys. If the row of a revoked
  // bootstrap key were deleted while `FLOWPOST_BOOTSTRAP_KEYS` still lists the key, the key would work again. If all keys were
  // deleted, a server with an embedded database would create a new unrestricted key at its next start.
  apiKeys: `delete from api_keys where id in (
      select id from api_keys where (revoked_at < $1 or expires_at < $1) and not bootstrap and (parent_id is not null or expires_at is not null)
      limit ${batchSize} for update skip locked
    ) returning 1`,
  bulkActions: `delete from bulk_actions where id in (
      select id from bulk_actions where completed_at < $1 order by completed_at limit ${batchSize} for update skip locked
    ) returning 1`,
  reportNonces: `delete from report_nonces where digest in (
      select digest from report_nonces where expires_at < $1 order by expires_at limit ${batchSize} for update skip locked
    ) returning 1`,
  destinations: 'delete from destinations where next_at < $1 and tail_at < $1 returning 1',
} as const

// Event ids sort by the time at which the events were created.
const events = `delete from events where id in (
    select id from events where id < $1 order by id limit ${batchSize} for update skip locked
  ) returning 1`

// This statement must run before older entries are deleted, because the settings history must have no gaps after its start time.
const moveHistoryStart = 'update settings_history_start set at = $1 where at < $1'

// The ids of settings history entries contain the time of the change.
const history = `delete from settings_history where id in (
    select id from settings_history where id < $1 order by id limit ${batchSize} for update skip locked
  ) returning 1`

/** Creates a periodic task that removes expired rows. Several processes may run it at once. */
export const createRetention = (deps: RetentionDeps): Retention => {
  const { database, clock, log, contentMs, logMs, eventsMs, historyMs } = deps

  /**
   * Removes rows in batches until a batch finds no rows. Does not stop at a batch that is not full. Batches skip locked rows,
   * so more rows may remain after such a batch.
   */
  const removeAll = async (
    step: string,
    removeBatch: () => Promise<{ found: number; removed: number }>,
    signal: AbortSignal | undefined,
  ): Promise<void> => {
    let total = 0
    for (let isDone = false; !isDone && !signal?.aborted; ) {
      const { found, removed } = await removeBatch()
      total += removed
      isDone = found === 0
      if (!isDone) await sleep(betweenBatchesMs)
    }
    if (total > 0) log.info({ step, removed: total }, 'Retention removed expired rows.')
  }

  const olderThan = (ageMs: number): Date => new Date(clock.now().getTime() - ageMs)

  const removeBodies = async (signal: AbortSignal | undefined): Promise<void> => {
    const before = olderThan(contentMs)
    const end = firstUuidOf(before)
    let after = lowestUuid
    const removeBatch = async () => {
      const rows = await database.query<{ id: Uuid; removed: boolean }>(bodies, [before, after, end])
      after = rows.at(-1)?.id ?? after
      return { found: rows.length, removed: rows.filter(({ removed }) => removed).length }
    }
    await removeAll('content', removeBatch, signal)
  }

  /** Removes rows with a statement whose parameter is `limit`: the time or the id at which the rows to keep start. */
  const removeRows = (step: string, statement: string, limit: Date | Uuid, signal: AbortSignal | undefined): Promise<void> => {
    const removeBatch = async () => {
      const { length } = await database.query(statement, [limit])
      return { found: length, removed: length }
    }
    return removeAll(step, removeBatch, signal)
  }

  const remove = (step: keyof typeof steps, ageMs: number, signal: AbortSignal | undefined): Promise<void> =>
    removeRows(step, steps[step], olderThan(ageMs), signal)

  const removeHistory = async (signal: AbortSignal | undefined): Promise<void> => {
    const before = olderThan(historyMs)
    await database.query(moveHistoryStart, [before])
    await removeRows('history', history, firstUuidOf(before), signal)
  }

  const run: Retention['run'] = async (signal) => {
    const removals = {
      content: () => removeBodies(signal),
      captured: () => remove('captured', contentMs, signal),
      log: () => remove('log', logMs, signal),
      idempotencyKeys: () => remove('idempotencyKeys', idempotencyKeyTtlMs, signal),
      apiKeys: () => remove('apiKeys', logMs, signal),
      bulkActions: () => remove('bulkActions', logMs, signal),
      destinations: () => remove('destinations', dayMs, signal),
      events: () => removeRows('events', events, firstUuidOf(olderThan(eventsMs)), signal),
      history: () => removeHistory(signal),
      reportNonces: () => remove('reportNonces', 0, signal),
    }
    const failures: Error[] = []
    for (const [step, removeExpired] of Object.entries(removals))
      await removeExpired().catch((cause: unknown) => failures.push(new Error(`The retention step \`${step}\` failed.`, { cause })))
    if (failures.length > 0) throw new AggregateError(failures, failures.map(({ message }) => message).join(' '))
  }

  const onError = (error: unknown) => {
    for (const err of error instanceof AggregateError ? error.errors : [error])
      log.warn({ err }, 'Could not remove expired rows; retrying later.')
  }
  return { ...createPeriodicTask({ everyMs, run, onError }), run }
}
