import { describe, expect, it } from 'vitest'
import type { MigrationState } from './migration-state.ts'
import { waitForMigrations } from './wait-for-migrations.ts'

const first = { name: '1-first', statements: [] }
const second = { name: '2-second', statements: [] }
const stateWith = (changes: Partial<MigrationState>): MigrationState => ({
  applied: [],
  pending: [],
  newer: [],
  migratedBy: undefined,
  incompatibility: undefined,
  ...changes,
})

/** Waits with a clock that advances only during pauses. */
const wait = async (readState: (elapsedMs: number) => MigrationState, waitMs: number) => {
  let nowMs = 0
  const logged: { atMs: number; fields: object }[] = []
  const pause = async (ms: number) => {
    nowMs += ms
  }
  const log = { warn: (fields: object) => void logged.push({ atMs: nowMs, fields }) }
  await waitForMigrations(async () => readState(nowMs), { waitMs, log, pause, nowMs: () => nowMs })
  return { nowMs, logged }
}

describe('a process that does not migrate', () => {
  it('starts at once without a log line when no migration is pending', async () => {
    expect(await wait(() => stateWith({}), 0)).toEqual({ nowMs: 0, logged: [] })
  })

  it('starts when the migrations are applied, and logs the wait when it begins and every ten seconds', async () => {
    const { nowMs, logged } = await wait((elapsedMs) => stateWith({ pending: elapsedMs < 25_000 ? [second] : [] }), 60_000)
    expect(nowMs).toBe(25_000)
    expect(logged.map(({ atMs }) => atMs)).toEqual([0, 10_000, 20_000])
    expect(logged[0]?.fields).toEqual({ pending: ['2-second'], seconds_left: 60 })
  })

  it('gives up with an error that names the pending migrations', async () => {
    await expect(wait(() => stateWith({ pending: [first, second] }), 60_000)).rejects.toThrow(
      'The database lacks 2 migrations that this version needs: 1-first, 2-second. With FLOWPOST_MIGRATE=off, this process does not ' +
        'apply them, and no other process has applied them within 60 s. Run `pnpm migrate`, then start this process again.',
    )
  })

  it('does not wait on a database that needs a later release', async () => {
    await expect(wait(() => stateWith({ pending: [first], incompatibility: 'It needs more.' }), 60_000)).rejects.toThrow('It needs more.')
  })
})
