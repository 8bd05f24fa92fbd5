import { beforeEach, describe, expect, it } from 'vitest'
import { newUuid } from '../../../shared/ids.ts'
import { type ClaimSchedule, createClaimSchedule } from './claim-schedule.ts'

const [a, b] = [newUuid(), newUuid()]

let nowMs: number
let schedule: ClaimSchedule

beforeEach(() => {
  nowMs = 1_000_000
  schedule = createClaimSchedule(() => nowMs)
})

/** Advances the clock past the initial period of frequent sweeps. */
const settle = () => {
  nowMs += 60_000
  expect(schedule.take()).toBeNull()
}

/** Calls `take` every 100 ms for `ms` milliseconds. Returns the number of sweeps. */
const countSweeps = (ms: number): number => {
  let sweeps = 0
  for (const endMs = nowMs + ms; nowMs < endMs; nowMs += 100) if (schedule.take() === null) sweeps += 1
  return sweeps
}

describe('a push schedule', () => {
  it('sweeps every second at first, and then every 30 seconds', () => {
    expect(countSweeps(60_000)).toBe(60)
    expect(countSweeps(60_000)).toBe(2)
  })

  it('claims for projects with new events at once, and then every second for a minute', () => {
    settle()
    schedule.onEvents(a)
    schedule.claimSoon(b)
    expect(schedule.take()).toEqual([a, b])
    expect(schedule.take()).toEqual([])
    let claims = 0
    for (const endMs = nowMs + 120_000; nowMs < endMs; nowMs += 100) if (schedule.take()?.includes(a)) claims += 1
    // Three of the 60 claims are replaced by sweeps.
    expect(claims).toBeGreaterThan(55)
    expect(claims).toBeLessThanOrEqual(60)
  })

  it('sweeps every second while events are not announced, and for a minute afterwards', () => {
    settle()
    schedule.setListening(false)
    expect(countSweeps(120_000)).toBe(120)
    schedule.setListening(true)
    expect(countSweeps(60_000)).toBe(60)
    expect(countSweeps(60_000)).toBe(2)
  })

  it('delays a sweep in proportion to the duration of the previous sweep, but by at most a second', () => {
    settle()
    schedule.onSweepEnd(50)
    schedule.sweepSoon()
    schedule.claimSoon(a)
    nowMs += 449
    expect(schedule.take()).toEqual([a])
    nowMs += 1
    expect(schedule.take()).toBeNull()
    schedule.onSweepEnd(60_000)
    schedule.sweepSoon()
    nowMs += 1_000
    expect(schedule.take()).toBeNull()
  })

  it('returns the time until the next claim', () => {
    settle()
    expect(schedule.waitMs()).toBe(1_000)
    schedule.onSweepEnd(20)
    schedule.sweepSoon()
    expect(schedule.waitMs()).toBe(180)
    nowMs += 200
    expect(schedule.waitMs()).toBe(0)
  })
})
