import { expect, it } from 'vitest'
import { createSilenceGuard, type GuardedConnection, silentAfterMs } from './silence-guard.ts'

/** A guard on connections of the test, with time that the test passes half a second at a time. */
const setUp = (askWorking: (pids: readonly number[]) => Promise<ReadonlySet<number>>) => {
  const connections = new Set<GuardedConnection>()
  let nowMs = 0
  const warned: object[] = []
  const guard = createSilenceGuard({
    connections,
    askWorking,
    nowMs: () => nowMs,
    log: { warn: (details: object) => warned.push(details) } as never,
  })
  const connect = (fields: Partial<GuardedConnection>) => {
    const connection = {
      backendPid: 1,
      waitingSinceMs: undefined,
      heardAtMs: nowMs,
      closed: false,
      abandon: () => {
        connection.closed = true
      },
      ...fields,
    }
    connections.add(connection)
    return connection
  }
  const pass = async (ms: number) => {
    for (const untilMs = nowMs + ms; nowMs < untilMs; ) {
      nowMs += 500
      guard.check()
      // The answer to a question.
      await Promise.resolve()
        .then(() => {})
        .then(() => {})
    }
  }
  return {
    connect,
    pass,
    guard,
    warned,
    skip: (ms: number) => {
      nowMs += ms
    },
  }
}

const nobodyKnows = () => Promise.reject(new Error('The server cannot be reached.'))

it('closes a connection whose statement the server does not know, within seven seconds', async () => {
  const { connect, pass } = setUp(async () => new Set())
  const silent = connect({ waitingSinceMs: 0 })
  await pass(3_500)
  expect(silent.closed).toBe(false)
  await pass(3_500)
  expect(silent.closed).toBe(true)
})

it('closes a connection after ten seconds when nobody can say whether the server works', async () => {
  const { connect, pass } = setUp(nobodyKnows)
  const silent = connect({ waitingSinceMs: 0 })
  await pass(silentAfterMs - 500)
  expect(silent.closed).toBe(false)
  await pass(500)
  expect(silent.closed).toBe(true)
})

it('leaves a statement alone that the server works on, up to its time limit', async () => {
  const { connect, pass } = setUp(async (pids) => new Set(pids))
  const slow = connect({ waitingSinceMs: 0 })
  await pass(34_000)
  expect(slow.closed).toBe(false)
  await pass(1_500)
  expect(slow.closed).toBe(true)
})

it('leaves a migration alone for as long as the server works on it, and no longer', async () => {
  let working = true
  const { connect, pass, guard } = setUp(async (pids) => new Set(working ? pids : []))
  guard.letRunLong(true)
  const migration = connect({ waitingSinceMs: 0 })
  await pass(600_000)
  expect(migration.closed).toBe(false)
  working = false
  await pass(5_000)
  expect(migration.closed).toBe(true)
})

it('closes connections that have been idle since, and keeps those that have answered', async () => {
  const { connect, pass } = setUp(nobodyKnows)
  connect({ waitingSinceMs: 0, heardAtMs: 0 })
  const idleSince = connect({ heardAtMs: 0 })
  const answered = connect({ heardAtMs: 1 })
  const young = connect({ waitingSinceMs: 9_000 })
  await pass(silentAfterMs)
  expect([idleSince.closed, answered.closed, young.closed]).toEqual([true, false, false])
})

it('judges nothing right after the process itself stood still', async () => {
  const { connect, pass, skip } = setUp(nobodyKnows)
  const answeredMeanwhile = connect({ waitingSinceMs: 0 })
  await pass(1_000)
  skip(60_000)
  await pass(500)
  expect(answeredMeanwhile.closed).toBe(false)
})
