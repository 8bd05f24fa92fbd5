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

// One message a second, and a little more for the time between the reservation and the request, which varies.
const paceMs = 1_060
const retrySpreadMs = 40

/**
 * Reserves the right to start now, at most one a second for each destination, across all processes:
 * the reservation is one committed statement, so two workers cannot both have it.
 * @returns for each delivery that may not start, when to come again.
 */
export const reserveDestinations = async (
  database: Database,
  random: () => number,
  wanting: readonly PacedDelivery[],
): Promise<Map<Uuid, Date>> => {
  const deferred = new Map<Uuid, Date>()
  const queues = Map.groupBy(wanting, ({ destination }) => destination)
  const reserved = await reserveNow(database, [...queues.keys()].sort())
  for (const [destination, deliveries] of queues) {
    // Who had a slot goes first, or it would lose it to one that came later.
    const ordered = deliveries.sort((a, b) => Number(b.hadSlot) - Number(a.hadSlot))
    const late = reserved.has(destination) ? ordered.slice(1) : ordered
    if (late.length === 0) continue
    const slots = await takeSlots(database, destination, late.filter(({ hadSlot }) => !hadSlot).length)
    let next = 0
    for (const { id, hadSlot } of late) {
      const at = hadSlot ? slots.soonest + random() * retrySpreadMs : slots.first + paceMs * next++
      deferred.set(id, new Date(at))
    }
  }
  return deferred
}

/** The destinations at which one message may start now. */
const reserveNow = async (database: Database, destinations: readonly string[]): Promise<Set<string>> => {
  const rows = await database.query<{ key: string }>(
    `insert into destinations as d (key, next_at, tail_at)
     select key, now() + $2::int * interval '1 millisecond', now() from unnest($1::text[]) as wanted(key)
     on conflict (key) do update set next_at = excluded.next_at where d.next_at <= now()
     returning key`,
    [destinations, paceMs],
  )
  return new Set(rows.map(({ key }) => key))
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
