import { describe, expect, it } from 'vitest'
import type { PushedHealth } from './claim-endpoints.ts'
import { freeSlots, type PushTurn } from './push-slots.ts'

const slots = { healthy: 4, unknown: 2, failing: 2 }
const turnsOf = (count: number, health: PushedHealth, isOverdue: boolean): PushTurn[] =>
  Array.from({ length: count }, () => ({ health, isOverdue }))

describe('freeSlots', () => {
  it('returns all slots while no endpoint has its turn', () => {
    expect(freeSlots(slots, [])).toEqual(slots)
  })

  it('subtracts each turn from the slots of the same health status', () => {
    const turns = [...turnsOf(2, 'unknown', false), ...turnsOf(1, 'failing', false)]
    expect(freeSlots(slots, turns)).toEqual({ healthy: 4, unknown: 0, failing: 1 })
  })

  it('does not count overdue turns', () => {
    expect(freeSlots(slots, turnsOf(10, 'unknown', true))).toEqual(slots)
  })

  it('returns fewer slots if too many turns are overdue', () => {
    const free = (overdue: number) => freeSlots(slots, turnsOf(overdue, 'unknown', true)).unknown
    expect([16, 17, 18, 30].map(free)).toEqual([2, 1, 0, 0])
  })
})
