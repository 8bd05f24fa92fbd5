import { aggregateRules, completedStatuses, defaultAggregateStatus } from '@flowpost/domain'
import type { Queryable } from '../../../database/database.ts'
import { anyUuid, inLiterals } from '../../../database/query-hints.ts'
import type { Clock } from '../../../shared/clock.ts'
import type { Uuid } from '../../../shared/ids.ts'
import { notifyCompleted } from '../completion-watch.ts'

/**
 * Returns an SQL expression that aggregates the statuses of a notification's deliveries into the notification's status.
 * It applies the rules of `aggregateStatus` in `@flowpost/domain`.
 * @param column the column that contains the deliveries' statuses.
 */
export const aggregatedFrom = (column: string): string => {
  const quantifiers = { every: 'bool_and', some: 'bool_or' }
  const cases = aggregateRules.map(
    ({ status, quantifier, of }) => `when ${quantifiers[quantifier]}(${inLiterals(column, of)}) then '${status}'`,
  )
  return `case ${cases.join(' ')} else '${defaultAggregateStatus}' end`
}

/** Returns an SQL condition that is true if a column has the status of a completed notification. */
const isCompleted = (column: string): string => inLiterals(column, completedStatuses)

/**
 * Returns an SQL `update` that sets the statuses of notifications from a relation with the columns `id` and `status`.
 * For each changed notification, the `update` returns the `id` if the notification is completed, otherwise `null`.
 * @param now the placeholder for the current time.
 */
export const updateNotifications = (relation: string, now: `$${number}`): string =>
  `update notifications n
   set status = a.status, settled_at = case when ${isCompleted('a.status')} then coalesce(n.settled_at, ${now}::timestamptz) end
   from ${relation} a where n.id = any(array(select id from ${relation})) and n.id = a.id and n.status <> a.status
   returning case when ${isCompleted('n.status')} then n.id end as id`

const update = {
  name: 'aggregate-status',
  text: `with aggregated as materialized (
      select notification_id as id, ${aggregatedFrom('status')} as status from deliveries
      where ${anyUuid('notification_id', '$1')} group by notification_id
    ) ${updateNotifications('aggregated', '$2')}`,
}

/**
 * Updates the statuses of notifications from their deliveries, and returns the ids of the notifications that this call
 * completed. The commit wakes the requests that wait for these notifications to complete. The caller must have locked the
 * notifications: otherwise, two transactions could each miss the other's changes.
 */
export const aggregateNotifications = async (on: Queryable, clock: Clock, notificationIds: readonly Uuid[]): Promise<ReadonlySet<Uuid>> => {
  if (notificationIds.length === 0) return new Set()
  const updated = await on.query<{ id: Uuid | null }>(update, [notificationIds, clock.now()])
  const completed = updated.flatMap(({ id }) => id ?? [])
  await notifyCompleted(on, completed)
  return new Set(completed)
}
