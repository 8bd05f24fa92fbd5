import { pino } from 'pino'
import { expect, it } from 'vitest'
import { startDatabaseClock } from './database-clock.ts'

/** A machine and a database whose clocks differ, and round trips that take time. */
const setUp = async ({ skewMs = 0, roundTripMs = 2 } = {}) => {
  const state = { monotonicMs: 5_000, epochMs: Date.parse('2026-11-22T12:00:00Z'), skewMs, roundTripMs, away: false }
  const fatal: string[] = []
  const pass = (ms: number) => {
    state.monotonicMs += ms
    state.epochMs += ms
  }
  const clock = await startDatabaseClock({
    log: pino({ level: 'silent' }),
    onFatal: (error) => fatal.push(error.message),
    monotonicMs: () => state.monotonicMs,
    wallMs: () => state.epochMs + state.skewMs,
    readTimeMs: async () => {
      if (state.away) throw new Error('The database is away.')
      pass(state.roundTripMs / 2)
      const now = state.epochMs
      pass(state.roundTripMs / 2)
      return now
    },
  })
  return { state, clock, pass, fatal }
}

it('tells the time of the database, whatever the clock of the machine says', async () => {
  const { state, clock, pass } = await setUp({ skewMs: 42_000, roundTripMs: 30 })
  expect(clock.now().getTime()).toBe(state.epochMs)
  expect(clock.skewSeconds()).toBeCloseTo(42)
  state.skewMs = -3_600_000
  pass(10_000)
  expect(clock.now().getTime()).toBe(state.epochMs)
  clock.stop()
})

it.each([
  [61_000, 'The clock of this machine is 61.0 s ahead of the clock of PostgreSQL'],
  [-90_000, 'The clock of this machine is 90.0 s behind the clock of PostgreSQL'],
])('refuses to start when the clocks differ by %d ms', async (skewMs, text) => {
  await expect(setUp({ skewMs })).rejects.toThrow(
    `${text}, more than the 60 s that are allowed. Synchronize both clocks (NTP), then start again.`,
  )
})

it('ends the process when the clock of the machine goes wrong while it runs', async () => {
  const { state, clock, fatal } = await setUp()
  await clock.measure()
  expect(fatal).toEqual([])
  state.skewMs = 120_000
  await clock.measure()
  expect(fatal).toEqual([expect.stringContaining('120.0 s ahead of the clock of PostgreSQL, more than the 60 s')])
})

it('follows a database whose clock is set, and does not jump for a difference that the round trip explains', async () => {
  const { state, clock } = await setUp({ roundTripMs: 100 })
  state.epochMs += 40
  await clock.measure()
  expect(clock.now().getTime()).toBe(state.epochMs - 40)
  state.epochMs += 5_000
  await clock.measure()
  expect(clock.now().getTime()).toBe(state.epochMs)
  clock.stop()
})

it('keeps its last measurement while the database is away', async () => {
  const { state, clock, pass } = await setUp()
  state.away = true
  pass(600_000)
  await clock.measure()
  expect(clock.now().getTime()).toBe(state.epochMs)
  clock.stop()
})
