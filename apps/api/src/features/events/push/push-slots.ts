import type { PushedHealth } from './claim-endpoints.ts'

/** For each health, the number of endpoints that can have their turn at the same time. */
export type Slots = Readonly<Record<PushedHealth, number>>

/** The slots of a process. Endpoints that fail, or that never succeeded, take no slot of those that work. */
export const defaultSlots: Slots = { healthy: 64, unknown: 32, failing: 32 }

/** How long, in milliseconds, a turn holds a slot. Then the slot is free, even if the endpoint has not responded. */
export const maxTurnMs = 2_000

// A request takes at most 15 s and a turn 2 s. So even if every endpoint stalls, at most 15 / 2 requests per slot wait after
// their turns.
const maxOverduePerSlot = 8

/** An endpoint to which a process sends. */
export interface PushTurn {
  readonly health: PushedHealth
  /** Whether the turn has taken longer than {@link maxTurnMs}. It ends when the endpoint responds or the request times out. */
  readonly isOverdue: boolean
}

/**
 * Returns the number of free slots for each health. Also limits the number of requests that still wait for a response after their
 * turns.
 */
export const freeSlots = (slots: Slots, turns: Iterable<PushTurn>): Slots => {
  const all = { healthy: 0, unknown: 0, failing: 0 }
  const current = { healthy: 0, unknown: 0, failing: 0 }
  for (const { health, isOverdue } of turns) {
    all[health] += 1
    if (!isOverdue) current[health] += 1
  }
  const freeOf = (health: PushedHealth): number =>
    Math.max(0, Math.min(slots[health] - current[health], (1 + maxOverduePerSlot) * slots[health] - all[health]))
  return { healthy: freeOf('healthy'), unknown: freeOf('unknown'), failing: freeOf('failing') }
}
