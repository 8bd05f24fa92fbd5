import type { NotificationWithAttempts } from '@flowpost/contract'
import { embeddedAttempts, pageLength, rowsOfDelivery } from '@flowpost/domain'
import type { z } from 'zod'
import type { Database, Queryable } from '../../database/database.ts'
import type { Principal } from '../../shared/principal.ts'
import { isSettled } from '../deliveries/roll-up.ts'
import type { Settlements } from '../deliveries/settlements.ts'
import { type NotificationRow, toNotificationWithAttempts } from './notification.wire.ts'
import { attemptsOf, embeddedDeliveriesOf, getNotification } from './notification-queries.ts'

type Wire = z.output<typeof NotificationWithAttempts>

/**
 * Reads what the representations of these notifications, newest first, embed, as far as a page goes.
 * @returns how many of them the page holds, and the function that makes their representations.
 */
export const withDeliveries = async (
  on: Queryable,
  rows: readonly NotificationRow[],
): Promise<{ length: number; toWire: (row: NotificationRow) => Wire }> => {
  const deliveries = await embeddedDeliveriesOf(
    on,
    rows.map(({ id }) => id),
  )
  const deliveriesOf = ({ id }: NotificationRow) => deliveries.get(id) ?? []
  const counts = rows.map((row) => deliveriesOf(row).reduce((sum, delivery) => sum + rowsOfDelivery(delivery, embeddedAttempts), 0))
  const length = pageLength(rows.length, counts)
  const attempts = await attemptsOf(on, rows.slice(0, length).flatMap(deliveriesOf), embeddedAttempts)
  return { length, toWire: (row) => toNotificationWithAttempts(row, deliveriesOf(row), attempts) }
}

/**
 * Reads a notification, at once or when it has settled.
 * @param options.waitMs how long to wait for that, in milliseconds; 0: not at all.
 * @param options.isGone whether nobody waits for the answer any more.
 * @throws ApiError `not_found`.
 */
export const readNotification = async (
  deps: { database: Database; settlements: Settlements },
  principal: Principal,
  id: string,
  options: { waitMs: number; isGone: () => boolean },
): Promise<Wire> => {
  const { database } = deps
  let row = await getNotification(database, principal, id)
  if (options.waitMs > 0 && !isSettled(row.status)) row = await whenSettled(deps, principal, id, row, options)
  const { toWire } = await withDeliveries(database, [row])
  return toWire(row)
}

const whenSettled = async (
  deps: { database: Database; settlements: Settlements },
  principal: Principal,
  id: string,
  first: NotificationRow,
  { waitMs, isGone }: { waitMs: number; isGone: () => boolean },
): Promise<NotificationRow> => {
  const until = performance.now() + waitMs
  const settlement = deps.settlements.watch(first.id)
  try {
    let row = await getNotification(deps.database, principal, id)
    while (!isSettled(row.status) && !isGone()) {
      const leftMs = until - performance.now()
      if (leftMs <= 0 || deps.settlements.stopped()) break
      await settlement.next(leftMs)
      row = await getNotification(deps.database, principal, id)
    }
    return row
  } finally {
    settlement.stop()
  }
}
