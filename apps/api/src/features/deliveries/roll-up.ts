import { type DeliveryStatus, rollUp } from '@flowpost/domain'
import type { Queryable } from '../../database/database.ts'
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

/**
 * Brings the status of notifications up to date with their deliveries. The caller holds a lock on
 * each of them, so that two transactions that settle deliveries of one see each other's work. Who waits
 * for one that has settled hears of it at commit.
 */
export const rollUpNotifications = async (on: Queryable, clock: Clock, notificationIds: readonly Uuid[]): Promise<void> => {
  if (notificationIds.length === 0) return
  const counts = await on.query<StatusCount>(
    `select notification_id, status, count(*)::int as count from deliveries
     where notification_id = any($1::uuid[]) group by notification_id, status`,
    [notificationIds],
  )
  const byNotification = Map.groupBy(counts, (row) => row.notification_id)
  const rolled = [...byNotification].map(([id, rows]) => {
    const status = rollUp(Object.fromEntries(rows.map((row) => [row.status, row.count])))
    return { id, status, settled: isSettled(status) }
  })
  const settled = await on.query<{ id: Uuid | null }>(
    `update notifications n set status = r.status, settled_at = case when r.settled then coalesce(n.settled_at, $2) end
     from jsonb_to_recordset($1::jsonb) as r(id uuid, status text, settled boolean) where n.id = r.id
     returning case when r.settled then n.id end as id`,
    [JSON.stringify(rolled), clock.now()],
  )
  await announceSettled(
    on,
    settled.flatMap(({ id }) => id ?? []),
  )
}
