import { openStatuses, suppressedFailure } from '@flowpost/domain'
import type { Database, Queryable } from '../../../database/database.ts'
import { anyUuid, inLiterals } from '../../../database/query-hints.ts'
import { hasEventEndpoint } from '../../../shared/event-facts.ts'
import type { Uuid } from '../../../shared/ids.ts'
import { aggregateNotifications } from '../attempts/aggregate-status.ts'
import { lockUnlockedNotifications } from '../attempts/record-outcomes.ts'
import { interruptedDetail } from '../attempts/start-attempts.ts'
import type { CancelDeps } from '../cancel-deliveries.ts'
import { type ChangedDelivery, factsOf } from '../completion-facts.ts'
import { hasClaim, hasNoNewAttempt, toClaims } from '../queue/held-jobs.ts'
import type { Job } from '../queue/job.ts'
import { type CompletedDelivery, storeDigests } from '../recipients/recipient-digests.ts'
import { findSuppressed } from './find-suppressed.ts'

/** Deliveries to suppressed recipients, grouped by result. */
export interface SuppressedDeliveries {
  /** The notification id of each failed delivery, keyed by delivery id. */
  readonly failed: ReadonlyMap<Uuid, Uuid>
  /** Suppressed deliveries whose notification is locked: the caller must try again. */
  readonly busy: ReadonlySet<Uuid>
}

type CandidateRow = CompletedDelivery & { readonly project_id: Uuid }

// Omits test messages with the status `sending`, because their recipient may simulate a slow provider. The job of such an attempt
// waits in the queue until a worker claims the job to record the simulated outcome. If the delivery were not omitted, the
// statement `fail` would instead record that the attempt was interrupted.
const readCandidates = `select d.id, d.notification_id, d.user_id, d.project_id, d.source_type, d.target from deliveries d
  where ${anyUuid('d.id', '$1')} and ${inLiterals('d.status', openStatuses)} and not (d.status = 'sending' and d.test is true)`

// If a claimed delivery is still `sending`, its last attempt was interrupted. The delivery fails without a new attempt, because
// a new attempt would send the message to the suppressed recipient. If the lease has expired, another worker may have claimed
// the job and may be sending the message. The statement therefore checks the claim.
const fail = `with failed as (
    update deliveries d set status = 'failed', settled_at = $3, next_attempt_at = null, failure = $4::jsonb
    where d.id = any($1::uuid[]) and ${inLiterals('d.status', openStatuses)} and ${hasClaim('d', '$6')} and ${hasNoNewAttempt('d')}
    returning d.id, d.notification_id, d.project_id, d.user_id, d.source_type, d.target, d.status
  ), ended_attempts as (
    update attempts a set outcome = 'ambiguous', provider_response = $5
    where a.delivery_id = any(array(select id from failed)) and a.outcome = 'sending'
  ), removed_jobs as (
    delete from delivery_jobs where delivery_id in (select id from failed)
  ), removed_bodies as (
    delete from message_bodies b using failed f
    where not $2::boolean and b.notification_id = f.notification_id and b.delivery_id = f.id
  )
  select f.*, ${hasEventEndpoint('f.project_id')} as has_events from failed f`

/**
 * Fails deliveries to suppressed recipients. Skips a delivery if its notification is locked, or if the delivery's job has been
 * claimed again.
 * @param jobs the claimed jobs, which include the jobs of these deliveries.
 * @param rows the deliveries. The caller has checked that their recipients are suppressed.
 */
export const failRows = async (
  transaction: Queryable,
  deps: CancelDeps,
  jobs: readonly Job[],
  rows: readonly CandidateRow[],
): Promise<SuppressedDeliveries> => {
  const notificationIds = [...new Set(rows.map(({ notification_id }) => notification_id))]
  const locked = new Set((await transaction.query<{ id: Uuid }>(lockUnlockedNotifications, [notificationIds])).map(({ id }) => id))
  const { available = [], busy = [] } = Object.groupBy(rows, (row) => (locked.has(row.notification_id) ? 'available' : 'busy'))
  const values = [
    available.map(({ id }) => id),
    deps.logContent,
    deps.clock.now(),
    JSON.stringify(suppressedFailure),
    interruptedDetail,
    toClaims(jobs),
  ]
  const failed = await transaction.query<CompletedDelivery & ChangedDelivery>(fail, values)
  await storeDigests(transaction, deps.recipients, failed, suppressedFailure)
  const affected = [...new Set(failed.map(({ notification_id }) => notification_id))]
  const facts = factsOf(failed, await aggregateNotifications(transaction, deps.clock, affected))
  if (facts.length > 0) await deps.recordEvents(transaction, facts)
  return {
    failed: new Map(failed.map(({ id, notification_id }) => [id, notification_id])),
    busy: new Set(busy.map(({ id }) => id)),
  }
}

/**
 * Fails the claimed deliveries whose recipient is suppressed, before an attempt starts.
 * @throws ApiError `unavailable` if this process has no key to compute digests with.
 */
export const failSuppressed = async (database: Database, deps: CancelDeps, jobs: readonly Job[]): Promise<SuppressedDeliveries> => {
  const candidates = await database.query<CandidateRow & object>(readCandidates, [jobs.map(({ deliveryId }) => deliveryId)])
  const suppressed: CandidateRow[] = []
  for (const [projectId, rows] of Map.groupBy(candidates, ({ project_id }) => project_id)) {
    const userId = rows[0]?.user_id ?? ''
    const suppressionOf = await findSuppressed(database, deps.recipients, { userId, projectId }, rows)
    suppressed.push(...rows.filter(suppressionOf))
  }
  if (suppressed.length === 0) return { failed: new Map(), busy: new Set() }
  return database.transaction((transaction) => failRows(transaction, deps, jobs, suppressed))
}
