import { setTimeout as sleep } from 'node:timers/promises'
import { type Database, instant } from '../../database/database.ts'
import type { Uuid } from '../../shared/ids.ts'

/** A delivery that wants to start now at a destination with a pace. */
export interface PacedDelivery {
  readonly id: Uuid
  /** The destination: a channel of a credential. */
  readonly destination: string
  /** Whether it was given a slot before, and came a little early to it. */
  readonly hadSlot: boolean
}

/** The right to start now at a destination with a pace. */
export interface Reservation {
  readonly destination: string
  /** When the next one may start there, as the database writes it. */
  readonly nextAt: string
  /** By `performance.now`: the start is not to be much later. */
  readonly atMs: number
}

// One message a second, and a little more for the time between the reservation and the request, which varies.
const paceMs = 1_060
const retrySpreadMs = 40
// Later than this after its reservation, a start would come too close to the next one.
const lateMs = 40
// Waiting is done while a lease is held, so it has an end.
const longestWaitMs = 3_000

/**
 * Reserves the right to start now, at most one a second for each destination, across all processes:
 * the reservation is one committed statement, so two workers cannot both have it.
 * @returns for each delivery that may not start when to come again, and for the others their reservation.
 */
export const reserveDestinations = async (
  database: Database,
  random: () => number,
  wanting: readonly PacedDelivery[],
): Promise<{ deferred: Map<Uuid, Date>; reservations: Map<Uuid, Reservation> }> => {
  const deferred = new Map<Uuid, Date>()
  const reservations = new Map<Uuid, Reservation>()
  const atMs = performance.now()
  if (wanting.length === 0) return { deferred, reservations }
  const queues = Map.groupBy(wanting, ({ destination }) => destination)
  const reserved = await reserveNow(database, [...queues.keys()].sort())
  for (const [destination, deliveries] of queues) {
    // Who had a slot goes first, or it would lose it to one that came later.
    const ordered = deliveries.sort((a, b) => Number(b.hadSlot) - Number(a.hadSlot))
    const nextAt = reserved.get(destination)
    const [first] = ordered
    if (first && nextAt !== undefined) reservations.set(first.id, { destination, nextAt, atMs })
    const late = nextAt === undefined ? ordered : ordered.slice(1)
    if (late.length === 0) continue
    const slots = await takeSlots(database, destination, late.filter(({ hadSlot }) => !hadSlot).length)
    let next = 0
    for (const { id, hadSlot } of late) {
      const at = hadSlot ? slots.soonest + random() * retrySpreadMs : slots.first + paceMs * next++
      deferred.set(id, new Date(at))
    }
  }
  return { deferred, reservations }
}

/**
 * Keeps the pace of a message that starts later than it was reserved for, on a busy machine for one: the time until the
 * next one counts from now. Resolves when the message may start, which is at once unless another one has come in between.
 */
export const keepPace = async (database: Database, { destination, nextAt, atMs }: Reservation): Promise<void> => {
  if (performance.now() - atMs <= lateMs) return
  const [row] = await database.query<{ wait_ms: number }>(
    `update destinations set next_at = case when next_at = $2::timestamptz then now() else greatest(next_at, now()) end
       + $3::int * interval '1 millisecond'
     where key = $1
     returning (extract(epoch from next_at - now()) * 1000)::float8 - $3 as wait_ms`,
    [destination, nextAt, paceMs],
  )
  const waitMs = Math.min(row?.wait_ms ?? 0, longestWaitMs)
  if (waitMs > 0) await sleep(waitMs)
}

/** The destinations at which one message may start now, and when the next one may. */
const reserveNow = async (database: Database, destinations: readonly string[]): Promise<Map<string, string>> => {
  const rows = await database.query<{ key: string; next_at: string }>(
    `insert into destinations as d (key, next_at, tail_at)
     select key, now() + $2::int * interval '1 millisecond', now() from unnest($1::text[]) as wanted(key)
     on conflict (key) do update set next_at = excluded.next_at where d.next_at <= now()
     returning key, next_at`,
    [destinations, paceMs],
  )
  return new Map(rows.map(({ key, next_at }) => [key, next_at]))
}

/** Takes `count` slots at the end of a destination's line. */
const takeSlots = async (database: Database, destination: string, count: number): Promise<{ first: number; soonest: number }> => {
  const [row] = await database.query<{ next_at: string; tail_at: string }>(
    `update destinations set tail_at = greatest(tail_at, next_at, now()) + $2::int * interval '1 millisecond' where key = $1
     returning next_at, tail_at`,
    [destination, count * paceMs],
  )
  if (!row) throw new Error('A destination was removed while deliveries wait for it.')
  return { first: instant(row.tail_at).getTime() - count * paceMs, soonest: instant(row.next_at).getTime() }
}
