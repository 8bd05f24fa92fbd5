import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../../../database/database.ts'
import type { Uuid } from '../../../shared/ids.ts'

/**
 * A delivery to a rate-limited destination. A destination is a chat channel combined with the credential that sends to
 * it.
 */
export interface LimitedDelivery {
  readonly id: Uuid
  readonly destination: string
  /** Whether the delivery was previously rescheduled to a slot that begins about now. */
  readonly hasReservation: boolean
}

/** A reserved slot: the right to start one message to a destination now. */
export interface Slot {
  readonly destination: string
  /** The time when the next slot begins, in the database's format. */
  readonly nextAt: string
  /** When the slot was reserved, in milliseconds by `performance.now()`. */
  readonly reservedMs: number
}

/** Deliveries with and without a slot. */
export interface SlotReservations {
  readonly slots: ReadonlyMap<Uuid, Slot>
  /** The delays of the deliveries without a slot, in milliseconds. */
  readonly delays: ReadonlyMap<Uuid, number>
}

// One message per second, plus a margin for the varying time between the reservation and the request to the provider.
const intervalMs = 1_060
const retrySpreadMs = 40
// The maximum time between a message's reservation and its start. A later start would be too close to the next message.
const toleranceMs = 40
// The wait happens under a lease, so it must be short.
const maxWaitMs = 3_000

/**
 * Reserves slots for deliveries. The slots of a destination are about a second apart, across all processes. Each
 * reservation is one committed statement, so two workers cannot get the same slot.
 */
export const reserveSlots = async (
  database: Database,
  random: () => number,
  deliveries: readonly LimitedDelivery[],
): Promise<SlotReservations> => {
  const delays = new Map<Uuid, number>()
  const slots = new Map<Uuid, Slot>()
  const reservedMs = performance.now()
  if (deliveries.length === 0) return { delays, slots }
  const byDestination = Map.groupBy(deliveries, ({ destination }) => destination)
  const reserved = await reserveNow(database, [...byDestination.keys()].sort())
  for (const [destination, candidates] of byDestination) {
    // Deliveries with a reservation come first. Otherwise, they could lose their slots to later deliveries.
    const ordered = candidates.sort((a, b) => Number(b.hasReservation) - Number(a.hasReservation))
    const nextAt = reserved.get(destination)
    const [first] = ordered
    if (first && nextAt !== undefined) slots.set(first.id, { destination, nextAt, reservedMs })
    const later = nextAt === undefined ? ordered : ordered.slice(1)
    if (later.length === 0) continue
    const line = await appendSlots(database, destination, later.filter(({ hasReservation }) => !hasReservation).length)
    let position = 0
    for (const { id, hasReservation } of later)
      delays.set(id, hasReservation ? line.nextInMs + random() * retrySpreadMs : line.firstInMs + intervalMs * position++)
  }
  return { delays, slots }
}

/**
 * Resolves when a message may start: at once, unless the message is late for its slot, for example on a busy machine.
 * A late message reserves a new slot, so that the next message does not follow too soon. The new slot begins now or,
 * if other messages have reserved slots in the meantime, after those slots. The wait is at most `maxWaitMs`.
 */
export const waitForSlot = async (database: Database, { destination, nextAt, reservedMs }: Slot): Promise<void> => {
  if (performance.now() - reservedMs <= toleranceMs) return
  const [row] = await database.query<{ wait_ms: number }>(
    `update destinations set next_at = case when next_at = $2::timestamptz then now() else greatest(next_at, now()) end
       + $3::int * interval '1 millisecond'
     where key = $1
     returning (extract(epoch from next_at - now()) * 1000)::float8 - $3 as wait_ms`,
    [destination, nextAt, intervalMs],
  )
  const waitMs = Math.min(row?.wait_ms ?? 0, maxWaitMs)
  if (waitMs > 0) await sleep(waitMs)
}

/**
 * Reserves the current slot at each destination where that slot is free. Returns the times at which the next slots of
 * these destinations begin, keyed by destination.
 */
const reserveNow = async (database: Database, destinations: readonly string[]): Promise<Map<string, string>> => {
  const rows = await database.query<{ key: string; next_at: string }>(
    `insert into destinations as d (key, next_at, tail_at)
     select key, now() + $2::int * interval '1 millisecond', now() from unnest($1::text[]) as wanted(key)
     on conflict (key) do update set next_at = excluded.next_at where d.next_at <= now()
     returning key, next_at`,
    [destinations, intervalMs],
  )
  return new Map(rows.map(({ key, next_at }) => [key, next_at]))
}

/**
 * Reserves `count` more slots after a destination's last reserved slot. Returns two delays in milliseconds: until the
 * first of the new slots begins (`firstInMs`), and until the destination's next slot begins (`nextInMs`).
 */
const appendSlots = async (
  database: Database,
  destination: string,
  count: number,
): Promise<{ readonly firstInMs: number; readonly nextInMs: number }> => {
  const [row] = await database.query<{ tail_in_ms: number; next_in_ms: number }>(
    `update destinations set tail_at = greatest(tail_at, next_at, now()) + $2::int * interval '1 millisecond' where key = $1
     returning (extract(epoch from tail_at - now()) * 1000)::float8 as tail_in_ms,
       (extract(epoch from next_at - now()) * 1000)::float8 as next_in_ms`,
    [destination, count * intervalMs],
  )
  if (!row) throw new Error('A destination was removed while deliveries were waiting for it.')
  return { firstInMs: row.tail_in_ms - count * intervalMs, nextInMs: row.next_in_ms }
}
