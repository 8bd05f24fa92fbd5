import { expect, it } from 'vitest'
import { createSilenceGuard, type GuardedConnection, silentAfterMs } from './silence-guard.ts'

/** Creates a guard with fake connections and a fake clock that advances half a second at a time. */
const setUp = (findWorking: (pids: readonly number[]) => Promise<ReadonlySet<number>>) => {
  const connections = new Set<GuardedConnection>()
  let nowMs = 0
  const warned: object[] = []
  const guard = createSilenceGuard({
    connections,
    findWorking,
    nowMs: () => nowMs,
    log: { warn: (details: object) => warned.push(details) } as never,
  })
  const connect = (fields: Partial<GuardedConnection>) => {
    const connection = {
      backendPid: 1,
      waitingSinceMs: undefined,
      lastResponseMs: nowMs,
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
      // Lets the response to a probe arrive.
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

const unreachable = () => Promise.reject(new Error('The server cannot be reached.'))

it('closes a connection within seven seconds when the server reports that its statement is not running', async () => {
  const { connect, pass } = setUp(async () => new Set())
  const silent = connect({ waitingSinceMs: 0 })
  await pass(3_500)
  expect(silent.closed).toBe(false)
  await pass(3_500)
  expect(silent.closed).toBe(true)
})

it('closes a connection after ten seconds when the server cannot be queried', async () => {
  const { connect, pass } = setUp(unreachable)
  const silent = connect({ waitingSinceMs: 0 })
  await pass(silentAfterMs - 500)
  expect(silent.closed).toBe(false)
  await pass(500)
  expect(silent.closed).toBe(true)
})

it('keeps a connection while the server responds that it has no connection free for the query', async () => {
  const { connect, pass, guard } = setUp(() => Promise.reject(Object.assign(new Error('too many clients'), { code: '53300' })))
  guard.allowLongStatements(true)
  const migration = connect({ waitingSinceMs: 0 })
  await pass(120_000)
  expect(migration.closed).toBe(false)
})

it("keeps an active statement's connection up to the time limit", async () => {
  const { connect, pass } = setUp(async (pids) => new Set(pids))
  const slow = connect({ waitingSinceMs: 0 })
  await pass(34_000)
  expect(slow.closed).toBe(false)
  await pass(1_500)
  expect(slow.closed).toBe(true)
})

it("keeps a migration's connection while the server reports the migration as active", async () => {
  let working = true
  const { connect, pass, guard } = setUp(async (pids) => new Set(working ? pids : []))
  guard.allowLongStatements(true)
  const migration = connect({ waitingSinceMs: 0 })
  await pass(600_000)
  expect(migration.closed).toBe(false)
  working = false
  await pass(5_000)
  expect(migration.closed).toBe(true)
})

it('closes connections that have been idle since the failure and keeps those that have responded since', async () => {
  const { connect, pass } = setUp(unreachable)
  connect({ waitingSinceMs: 0, lastResponseMs: 0 })
  const idleSince = connect({ lastResponseMs: 0 })
  const responded = connect({ lastResponseMs: 1 })
  const young = connect({ waitingSinceMs: 9_000 })
  await pass(silentAfterMs)
  expect([idleSince.closed, responded.closed, young.closed]).toEqual([true, false, false])
})

it('closes no connection right after the process was suspended', async () => {
  const { connect, pass, skip } = setUp(unreachable)
  const respondedMeanwhile = connect({ waitingSinceMs: 0 })
  await pass(1_000)
  skip(60_000)
  await pass(500)
  expect(respondedMeanwhile.closed).toBe(false)
})
