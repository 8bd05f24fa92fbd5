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
  /**
   * How many times in a row the delivery was rescheduled to a slot; 0 if the last of these slots began more than
   * `reservationMs` ago.
   */
  readonly deferrals: number
}

/** A reserved slot: the right to start sending one message to a destination now. */
export interface Slot {
  readonly destination: string
  /** The time when the next slot begins, in the database's format. */
  readonly nextAt: string
  /** When the slot was reserved, in milliseconds by `performance.now()`. */
  readonly reservedMs: number
}

/** The delay of a delivery that must not start yet, in milliseconds, and the new value of `LimitedDelivery.deferrals`. */
export interface Deferral {
  readonly delayMs: number
  readonly deferrals: number
}

/** The result for each delivery, by its id: a slot if the delivery may start now, otherwise a deferral. */
export interface SlotReservations {
  readonly slots: ReadonlyMap<Uuid, Slot>
  readonly deferred: ReadonlyMap<Uuid, Deferral>
}

/**
 * How long a slot remains reserved for its delivery after the slot has begun, in milliseconds. After this time, the delivery
 * has lost the slot and must reserve a new one. For example, deliveries that missed their slots during an outage get new slots,
 * one after another.
 */
export const reservationMs = 2_000

// One message per second, plus a margin for the varying time between the reservation and the request to the provider.
const intervalMs = 1_060
const retrySpreadMs = 40
// The maximum time between the reservation of a slot and the start of its message. If the message started later, the next one
// would follow too soon.
const toleranceMs = 40
// The maximum wait for a new slot. The job is leased during the wait, so the wait must be short.
const maxWaitMs = 3_000
// How far ahead slots can be reserved. A delivery that finds no free slot in this period tries again later. A longer period
// therefore means fewer tries. But it also means more unused slots, because the slots of canceled deliveries stay reserved.
const maxLineMs = 10 * 60_000
// The maximum number of deferrals in a row. A delivery that loses its slot to another delivery is deferred, and then tries to
// take the next slot. After this many deferrals, it must instead reserve a slot behind all reserved slots. Otherwise, too many
// deliveries would compete for the next slot.
const maxDeferrals = 10

const hasReservation = ({ deferrals }: LimitedDelivery): boolean => deferrals > 0 && deferrals <= maxDeferrals

/**
 * Reserves slots for deliveries. The slots of a destination are about a second apart, across all processes. Each
 * reservation is one committed statement, so two workers cannot get the same slot.
 */
export const reserveSlots = async (
  database: Database,
  random: () => number,
  deliveries: readonly LimitedDelivery[],
): Promise<SlotReservations> => {
  const deferred = new Map<Uuid, Deferral>()
  const slots = new Map<Uuid, Slot>()
  const reservedMs = performance.now()
  if (deliveries.length === 0) return { deferred, slots }
  const byDestination = Map.groupBy(deliveries, ({ destination }) => destination)
  const reserved = await reserveNow(database, [...byDestination.keys()].sort())
  for (const [destination, candidates] of byDestination) {
    // Deliveries with a reservation come first. Otherwise, they could lose their slots to later deliveries.
    const ordered = candidates.sort((a, b) => Number(hasReservation(b)) - Number(hasReservation(a)))
    const nextAt = reserved.get(destination)
    const [first] = ordered
    if (first && nextAt !== undefined) slots.set(first.id, { destination, nextAt, reservedMs })
    const later = nextAt === undefined ? ordered : ordered.slice(1)
    if (later.length === 0) continue
    const unreserved = later.filter((delivery) => !hasReservation(delivery))
    const line = await appendSlots(database, destination, unreserved.length)
    for (const { id, deferrals } of later.filter(hasReservation))
      deferred.set(id, { delayMs: line.nextInMs + random() * retrySpreadMs, deferrals: deferrals + 1 })
    for (const [position, { id }] of unreserved.entries()) {
      const hasSlot = position < line.slots
      // If all slots of the next `maxLineMs` are reserved, the delivery tries again later. The delay is random, so that these
      // deliveries do not all try at once. The delay is at most `maxLineMs`, because all slots that are reserved now have passed
      // by then. With a longer delay, later slots could stay unused until a delivery tries again.
      const delayMs = hasSlot ? line.firstInMs + intervalMs * position : (maxLineMs * (1 + random())) / 2
      deferred.set(id, { delayMs, deferrals: hasSlot ? 1 : 0 })
    }
  }
  return { deferred, slots }
}

/**
 * Resolves when a message may be sent, usually at once, because the message's slot has already begun. If the slot was
 * reserved more than `toleranceMs` ago, for example on a busy machine, the next message to the destination would follow
 * this message too soon. In this case, reserves a new slot and waits for it, at most `maxWaitMs`.
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
 * Reserves the current slot of each destination, unless it is taken. Returns the destinations whose slot was reserved, each
 * with the time when its next slot begins.
 */
const reserveNow = async (database: Database, destinations: readonly string[]): Promise<Map<string, string>> => {
  // A message may start once `next_at` has passed. The reserved slots end at `tail_at`. If no message has started for more than
  // `reservationMs` after `next_at`, the deliveries with reserved slots were probably canceled, or are late. `tail_at` is then
  // set to now, so that new deliveries do not wait behind slots that nobody uses. A `next_at` more than `maxLineMs` ahead means
  // that the database's clock was set back. It is ignored. Otherwise, the destination would wait until the clock reaches it.
  const rows = await database.query<{ key: string; next_at: string }>(
    `insert into destinations as d (key, next_at, tail_at)
     select key, now() + $2::int * interval '1 millisecond', now() from unnest($1::text[]) as wanted(key)
     on conflict (key) do update set next_at = excluded.next_at,
       tail_at = case when d.next_at between now() - interval '${reservationMs} milliseconds' and now() then d.tail_at else excluded.tail_at end
     where d.next_at <= now() or d.next_at > now() + interval '${maxLineMs} milliseconds'
     returning key, next_at`,
    [destinations, intervalMs],
  )
  return new Map(rows.map(({ key, next_at }) => [key, next_at]))
}

/** The slots that {@link appendSlots} reserved. */
interface AppendedSlots {
  /** The number of new slots. */
  readonly slots: number
  /** The time until the first new slot begins, in milliseconds. */
  readonly firstInMs: number
  /** The time until the destination's current slot ends, in milliseconds. */
  readonly nextInMs: number
}

/** Reserves up to `count` slots after a destination's last reserved slot. Every new slot ends within the next `maxLineMs`. */
const appendSlots = async (database: Database, destination: string, count: number): Promise<AppendedSlots> => {
  const [row] = await database.query<AppendedSlots & object>(
    `with line as materialized (
       select key, least(greatest(tail_at, next_at, now()), now() + interval '${maxLineMs} milliseconds') as starts_at
       from destinations where key = $1 for update
     ), appended as materialized (
       select key, starts_at, least($2::int, floor((${maxLineMs} - extract(epoch from starts_at - now()) * 1000) / ${intervalMs})::int) as slots
       from line
     )
     update destinations d set tail_at = starts_at + slots * interval '${intervalMs} milliseconds'
     from appended where d.key = appended.key
     returning slots, (extract(epoch from starts_at - now()) * 1000)::float8 as "firstInMs",
       (extract(epoch from d.next_at - now()) * 1000)::float8 as "nextInMs"`,
    [destination, count],
  )
  if (!row) throw new Error('The row of a destination was deleted while slots were being reserved.')
  return row
}
