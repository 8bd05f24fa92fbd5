import { pino } from 'pino'
import { expect, it } from 'vitest'
import { startDatabaseClock } from './database-clock.ts'

/** Simulates a machine and a database with different clocks, and round trips that take time. */
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
      if (state.away) throw new Error('The database is unreachable.')
      pass(state.roundTripMs / 2)
      const now = state.epochMs
      pass(state.roundTripMs / 2)
      return now
    },
  })
  return { state, clock, pass, fatal }
}

it("returns the database's time, whatever this machine's clock shows", async () => {
  const { state, clock, pass } = await setUp({ skewMs: 42_000, roundTripMs: 30 })
  expect(clock.now().getTime()).toBe(state.epochMs)
  expect(clock.skewSeconds()).toBeCloseTo(42)
  state.skewMs = -3_600_000
  pass(10_000)
  expect(clock.now().getTime()).toBe(state.epochMs)
  clock.stop()
})

it.each([
  [61_000, "This machine's clock is 61.0 s ahead of PostgreSQL's clock"],
  [-90_000, "This machine's clock is 90.0 s behind PostgreSQL's clock"],
])('fails to start when the clocks differ by %d ms', async (skewMs, text) => {
  await expect(setUp({ skewMs })).rejects.toThrow(
    `${text}, more than the allowed 60 s. Synchronize both clocks (NTP), then start Flowpost again.`,
  )
})

it('ends the process when the skew becomes too large', async () => {
  const { state, clock, fatal } = await setUp()
  await clock.measure()
  expect(fatal).toEqual([])
  state.skewMs = 120_000
  await clock.measure()
  expect(fatal).toEqual([expect.stringContaining("120.0 s ahead of PostgreSQL's clock, more than the allowed 60 s")])
})

it('follows a change to the database clock but ignores differences of less than half a round trip', async () => {
  const { state, clock } = await setUp({ roundTripMs: 100 })
  state.epochMs += 40
  await clock.measure()
  expect(clock.now().getTime()).toBe(state.epochMs - 40)
  state.epochMs += 5_000
  await clock.measure()
  expect(clock.now().getTime()).toBe(state.epochMs)
  clock.stop()
})

it('keeps its last measurement while the database is unreachable', async () => {
  const { state, clock, pass } = await setUp()
  state.away = true
  pass(600_000)
  await clock.measure()
  expect(clock.now().getTime()).toBe(state.epochMs)
  clock.stop()
})
