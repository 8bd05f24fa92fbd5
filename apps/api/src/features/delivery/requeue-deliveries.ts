import { statusesBefore } from '@flowpost/domain'
import type { Queryable } from '../../database/database.ts'
import { inLiterals } from '../../database/query-hints.ts'
import type { Clock } from '../../shared/clock.ts'
import type { Uuid } from '../../shared/ids.ts'

/** A requeued delivery. The caller must add a job for it. */
export interface RequeuedDelivery {
  readonly deliveryId: Uuid
  readonly notificationId: Uuid
  readonly userId: string
  readonly projectId: Uuid
  readonly sourceType: string
  /** When the job is due; `null` means immediately. */
  readonly dueAt: string | null
  readonly expiresAt: string | null
}

const expiry = '(select n.expires_at from notifications n where n.id = d.notification_id)'
// - No delivery becomes due before its `send_at`. If a delivery fails before that time, because its recipient is suppressed,
//   there was no attempt, and `ready_at` is still the `send_at`.
// - If the notification expires during the delay, the job becomes due when it expires. A worker then cancels the delivery.
const dueAt = `case when $3::jsonb is not null or (d.attempt_count = 0 and d.ready_at > $2)
    then date_trunc('milliseconds', least(${expiry},
      greatest(d.ready_at, now() + coalesce(($3::jsonb ->> d.id::text)::float8, 0) * interval '1 millisecond'))) end`

/**
 * Returns an SQL statement that requeues the failed and ambiguous deliveries that match `condition`, with a new retry
 * budget. It skips deliveries whose flow was deleted, whose message is no longer stored, or whose notification has
 * expired. No delivery becomes due before its `send_at`. `$2` is the current time. `$3` maps delivery ids to delays in
 * milliseconds, or is `null`.
 */
const requeue = (
  condition: string,
): string => `update deliveries d set status = 'queued', failure = null, receipt = null, first_attempt_at = null,
    next_attempt_at = ${dueAt}, ready_at = coalesce(${dueAt}, $2), settled_at = null, credential_removed = false, cancel_requested = false
  where ${condition} and ${inLiterals('d.status', statusesBefore('queued'))}
    and exists (select 1 from message_bodies b where b.notification_id = d.notification_id and b.delivery_id = d.id)
    and exists (select 1 from flows f where f.id = d.flow_id) and coalesce(${expiry} > $2, true)
  returning d.id as "deliveryId", d.notification_id as "notificationId", d.user_id as "userId", d.project_id as "projectId", d.source_type as "sourceType",
    d.next_attempt_at as "dueAt", ${expiry} as "expiresAt"`

const requeueNotification = requeue('d.notification_id = $1')
const requeueSelected = requeue('d.id = any(array(select unnest($1::uuid[])))')

/** A statement that prevents a project and its flows from being deleted until the transaction ends. */
export const lockProject = { name: 'lock-project', text: 'select 1 from projects where id = $1 for key share' }

/** Requeues a notification's failed and ambiguous deliveries. The caller must have locked the notification. */
export const requeueDeliveriesOf = (on: Queryable, clock: Clock, notificationId: Uuid): Promise<RequeuedDelivery[]> =>
  on.query<RequeuedDelivery & object>(requeueNotification, [notificationId, clock.now(), null])

/**
 * Requeues the given deliveries that are failed or ambiguous. The caller must have locked their notifications.
 * @param delaysMs each delivery's delay in milliseconds, keyed by delivery id; `undefined` for no delay.
 */
export const requeueDeliveries = (
  on: Queryable,
  clock: Clock,
  deliveryIds: readonly Uuid[],
  delaysMs: Readonly<Record<Uuid, number>> | undefined,
): Promise<RequeuedDelivery[]> =>
  on.query<RequeuedDelivery & object>(requeueSelected, [deliveryIds, clock.now(), delaysMs ? JSON.stringify(delaysMs) : null])
