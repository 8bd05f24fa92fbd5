import { openStatuses, statusesBefore } from '@flowpost/domain'
import { type Database, pageLimit } from '../../../database/database.ts'
import { anyUuid, inLiterals } from '../../../database/query-hints.ts'
import type { Clock } from '../../../shared/clock.ts'
import { hasEventEndpoint, type RecordEvents } from '../../../shared/event-facts.ts'
import { lowestUuid, type Uuid } from '../../../shared/ids.ts'
import { aggregateNotifications } from '../attempts/aggregate-status.ts'
import { lockNotifications } from '../attempts/record-outcomes.ts'
import { type ChangedDelivery, factsOf } from '../completion-facts.ts'
import { type CompletedDelivery, storeDigests } from '../recipients/recipient-digests.ts'
import type { Recipients } from '../recipients/recipients.ts'

/** The dependencies of {@link cancelRestored}. */
export interface CancelRestoredDeps {
  readonly database: Database
  readonly clock: Clock
  /** Whether messages remain stored after their deliveries are completed. */
  readonly logContent: boolean
  readonly recipients: Recipients
  readonly recordEvents: RecordEvents
  /** The maximum number of deliveries in one transaction. @default 1,000 */
  readonly chunkSize?: number
}

const defaultChunkSize = 1_000

/** The failure for deliveries that were unfinished at backup time. */
const failure = {
  kind: 'ambiguous',
  code: 'restored',
  detail: 'The database was restored from a backup in which this delivery was unfinished. The message may have been sent after the backup.',
  retryable: false,
} as const
const interrupted = 'The database was restored from a backup that was made during this attempt.'

// Every open delivery has exactly one job. If somebody retries a failed delivery after the restore, the delivery is not one of
// those that were unfinished at backup time. Such a retry clears `next_attempt_at` and sets `ready_at` to the current time. While
// messages are on hold, nothing else does both. If the retried delivery must still wait for its `send_at`, however, it looks like
// a scheduled delivery of the backup, and is canceled too.
const findOpen = `select d.id, d.notification_id,
    d.created_at < $2 and (d.next_attempt_at is null and d.ready_at >= $2) is not true as "isOlder"
  from deliveries d
  where d.id = any(array(select delivery_id from delivery_jobs where delivery_id > $1 order by delivery_id ${pageLimit('$3')}))
  order by d.id`

// A delivery that was `sending` becomes `ambiguous`, because nobody knows whether its provider accepted the message.
const cancel = `with closed as (
    update deliveries d set status = case when ${inLiterals('d.status', statusesBefore('canceled'))} then 'canceled' else 'ambiguous' end,
      settled_at = $3, next_attempt_at = null, failure = $4::jsonb
    where ${anyUuid('d.id', '$1')} and ${inLiterals('d.status', openStatuses)} 
    returning d.id, d.notification_id, d.project_id, d.user_id, d.source_type, d.target, d.status
  ), ended_attempts as (
    update attempts a set outcome = 'ambiguous', provider_response = $5
    where a.delivery_id = any(array(select id from closed)) and a.outcome = 'sending'
  ), removed_jobs as (
    delete from delivery_jobs where delivery_id = any(array(select id from closed))
  ), removed_bodies as (
    delete from message_bodies b using closed c
    where not $2::boolean and b.notification_id = c.notification_id and b.delivery_id = c.id
  )
  select c.*, ${hasEventEndpoint('c.project_id')} as has_events from closed c`

interface OpenDelivery {
  readonly id: Uuid
  readonly notification_id: Uuid
}

/** Closes the given deliveries that are still open, in one transaction. Returns the number of closed deliveries. */
export const closeDeliveries = (deps: CancelRestoredDeps, open: readonly OpenDelivery[]): Promise<number> =>
  deps.database.transaction(async (transaction) => {
    const { clock, logContent, recipients, recordEvents } = deps
    const notificationIds = [...new Set(open.map(({ notification_id }) => notification_id))]
    await transaction.query(lockNotifications, [notificationIds])
    const values = [open.map(({ id }) => id), logContent, clock.now(), JSON.stringify(failure), interrupted]
    const closed = await transaction.query<CompletedDelivery & ChangedDelivery>(cancel, values)
    await storeDigests(transaction, recipients, closed, failure)
    const facts = factsOf(closed, await aggregateNotifications(transaction, clock, notificationIds))
    if (facts.length > 0) await recordEvents(transaction, facts)
    return closed.length
  })

/**
 * Closes every delivery that was unfinished when the database was restored: pending ones become `canceled`, and those that
 * were being sent become `ambiguous`. Works in chunks, each in its own transaction, so it can be interrupted and
 * restarted, and several processes may run it at once.
 * @param before only deliveries that were created before this time, and not retried since, are closed.
 * @returns the number of deliveries that this call closed.
 */
export const cancelRestored = async (deps: CancelRestoredDeps, before: Date, signal?: AbortSignal): Promise<number> => {
  const { database, chunkSize = defaultChunkSize } = deps
  let total = 0
  let after = lowestUuid
  for (;;) {
    signal?.throwIfAborted()
    const page = await database.query<OpenDelivery & { isOlder: boolean }>(findOpen, [after, before, chunkSize])
    const last = page.at(-1)
    if (!last) return total
    after = last.id
    const open = page.filter(({ isOlder }) => isOlder)
    if (open.length > 0) total += await closeDeliveries(deps, open)
  }
}
