import type { PushedHealth } from './claim-endpoints.ts'

/**
 * The number of slots for each health value of an endpoint. A {@link PushTurn} holds a slot until the turn ends or is
 * overdue.
 */
export type Slots = Readonly<Record<PushedHealth, number>>

/**
 * The default number of slots of a process. Each health value has separate slots, so failing and unknown endpoints cannot use
 * the slots of healthy endpoints.
 */
export const defaultSlots: Slots = { healthy: 64, unknown: 32, failing: 32 }

/**
 * The maximum time for which a turn holds a slot, in milliseconds. After that, the slot is free even if the endpoint
 * has not responded.
 */
export const maxTurnMs = 2_000

// A turn is overdue after 2 s, and then ends within 15 s, the time limit of a request. Even if every endpoint stalls, each
// slot therefore has at most 8 overdue turns (15 / 2, rounded up).
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
 * Returns the number of free slots for each health value. A turn that is not overdue takes a slot. In addition, the turns
 * of each health value, including overdue ones, are limited to nine times its number of slots. Many overdue turns therefore
 * reduce its number of free slots.
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
