import type { PushedHealth } from './claim-endpoints.ts'

/**
 * The number of slots for each health value of an endpoint. A {@link PushTurn} holds a slot until the turn ends or is
 * overdue.
 */
export type Slots = Readonly<Record<PushedHealth, number>>

/**
 * The default number of slots of a process for each health value. The slots are separate, because otherwise failing and
 * unknown endpoints could use the slots of healthy endpoints.
 */
export const defaultSlots: Slots = { healthy: 64, unknown: 32, failing: 32 }

/**
 * The maximum time for which a turn holds a slot, in milliseconds. After that, the slot is free even if the endpoint
 * has not responded.
 */
export const maxTurnMs = 2_000

// A turn is overdue after 2 s. Another turn may then start in its slot. An overdue turn ends after its current request. It is
// overdue for at most 15 s, because that is the time limit of a request. If every endpoint stalls, one turn per slot becomes
// overdue every 2 s. Each slot therefore has at most 8 overdue turns at a time: 15 / 2, rounded up.
const maxOverduePerSlot = 8

/** An endpoint's turn, during which the process sends events to that endpoint. */
export interface PushTurn {
  readonly health: PushedHealth
  /**
   * Whether the turn has taken longer than {@link maxTurnMs}. An overdue turn ends after its current request, even if
   * there are more events to send.
   */
  readonly isOverdue: boolean
}

/**
 * Returns how many more {@link PushTurn}s may start, for each {@link PushedHealth} value. If a value has `n` slots, there may
 * be at most `n` turns with this value that are not overdue, and at most `9 * n` turns with this value in total.
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
