import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createConnectionWatch } from './connection-watch.ts'

const connectionRefused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
const wrongPassword = Object.assign(new Error('password authentication failed for user "flowpost"'), { code: '28P01' })
const diskFull = Object.assign(new Error('could not extend file: No space left on device'), { code: '53100' })

describe('createConnectionWatch', () => {
  let nowMs: number
  let probe: () => Promise<unknown>
  let probeFresh: () => Promise<unknown>
  let logged: string[]
  let fatal: string[]
  let watch: ReturnType<typeof createConnectionWatch>

  beforeEach(() => {
    nowMs = 0
    logged = []
    fatal = []
    probe = async () => watch.responded()
    probeFresh = async () => {}
    watch = createConnectionWatch({
      log: { warn: (_details: object, text: string) => logged.push(text) } as never,
      probe: () => probe(),
      probeFresh: () => probeFresh(),
      onFatal: (error) => fatal.push(error.message),
      nowMs: () => nowMs,
    })
    watch.start()
  })

  afterEach(() => watch.stop())

  /** Advances the clock by `seconds`, with one check per second. */
  const pass = async (seconds: number) => {
    for (let count = 0; count < seconds; count += 1) {
      nowMs += 1_000
      watch.check()
      for (let turn = 0; turn < 10; turn += 1) await Promise.resolve()
    }
  }

  it('logs nothing while PostgreSQL responds to statements', async () => {
    await pass(100)
    expect([watch.isReachable(), logged]).toEqual([true, []])
  })

  it('reports the server as unreachable after five seconds without a response', async () => {
    probe = () => new Promise(() => {})
    await pass(4)
    expect(watch.isReachable()).toBe(true)
    await pass(1)
    expect(watch.isReachable()).toBe(false)
  })

  it('logs one line when an outage begins and one when it ends, however many statements fail', async () => {
    probe = () => Promise.reject(connectionRefused)
    for (let count = 0; count < 1_000; count += 1) watch.failed(connectionRefused)
    await pass(30)
    expect(watch.isReachable()).toBe(false)
    probe = async () => watch.responded()
    await pass(1)
    expect(watch.isReachable()).toBe(true)
    expect(logged).toEqual([
      'PostgreSQL cannot be reached. Requests receive a 503 response until it can be reached again.',
      'PostgreSQL can be reached again.',
    ])
  })

  it('logs a full disk once when the errors start and once when they end, and stays reachable', async () => {
    for (let second = 0; second < 30; second += 1) {
      for (let count = 0; count < 100; count += 1) watch.failed(diskFull)
      await pass(1)
    }
    expect(watch.isReachable()).toBe(true)
    await pass(11)
    expect(logged).toEqual([
      'PostgreSQL rejects statements: its disk is full.',
      'PostgreSQL no longer rejects statements with the error code 53100; the last such error was at least 10 s ago.',
    ])
  })

  it('waits out an outage of several hours', async () => {
    probe = probeFresh = () => Promise.reject(connectionRefused)
    await pass(7_200)
    expect(fatal).toEqual([])
  })

  it('gives up when the server responds on new connections but the pool does not recover', async () => {
    probe = () => Promise.reject(new Error('timeout exceeded when trying to connect'))
    await pass(60)
    expect(fatal).toEqual([])
    await pass(60)
    expect(fatal).toEqual([
      'PostgreSQL responds on a new connection, but not on the open connections of this process. The process is ending after 70 s without a database.',
    ])
  })

  it('gives up when the server rejects the password for a minute', async () => {
    probe = probeFresh = () => Promise.reject(wrongPassword)
    await pass(120)
    expect(fatal).toHaveLength(1)
    expect(fatal[0]).toContain(
      'PostgreSQL no longer accepts the user, password or database in DATABASE_URL: password authentication failed',
    )
  })
})
