import { type DeliveryStatus, rollUp } from '@flowpost/domain'
import type { Queryable } from '../../database/database.ts'
import { isOneOf } from '../../database/planner.ts'
import type { Clock } from '../../shared/clock.ts'
import type { Uuid } from '../../shared/ids.ts'
import { announceSettled } from './settlements.ts'

interface StatusCount {
  readonly notification_id: Uuid
  readonly status: DeliveryStatus
  readonly count: number
}

const settledStatuses = new Set<string>(['sent', 'partially_sent', 'failed', 'canceled'])

/** Whether nothing happens to a notification of this status any more unless somebody asks for a retry. */
export const isSettled = (status: string): boolean => settledStatuses.has(status)

const count = {
  name: 'roll-up-count',
  text: `select notification_id, status, count(*)::int as count from deliveries
    where ${isOneOf('notification_id', '$1')} group by notification_id, status`,
}

const roll = {
  name: 'roll-up',
  text: `update notifications n set status = r.status, settled_at = case when r.settled then coalesce(n.settled_at, $3) end
    from jsonb_to_recordset($2::jsonb) as r(id uuid, status text, settled boolean) where ${isOneOf('n.id', '$1')} and n.id = r.id
    returning case when r.settled then n.id end as id`,
}

/**
 * Brings the status of notifications up to date with their deliveries. The caller holds a lock on
 * each of them, so that two transactions that settle deliveries of one see each other's work. Who waits
 * for one that has settled hears of it at commit.
 */
export const rollUpNotifications = async (on: Queryable, clock: Clock, notificationIds: readonly Uuid[]): Promise<void> => {
  if (notificationIds.length === 0) return
  const counts = await on.query<StatusCount>(count, [notificationIds])
  const byNotification = Map.groupBy(counts, (row) => row.notification_id)
  const rolled = [...byNotification].map(([id, rows]) => {
    const status = rollUp(Object.fromEntries(rows.map((row) => [row.status, row.count])))
    return { id, status, settled: isSettled(status) }
  })
  const settled = await on.query<{ id: Uuid | null }>(roll, [notificationIds, JSON.stringify(rolled), clock.now()])
  await announceSettled(
    on,
    settled.flatMap(({ id }) => id ?? []),
  )
}
