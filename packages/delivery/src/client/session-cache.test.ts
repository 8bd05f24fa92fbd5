import { describe, expect, it } from 'vitest'
import { createSampleProvider } from '../../test/fixtures.ts'
import { createManualClock } from '../../test/manual-clock.ts'
import { createRestrictedEgress } from '../network/egress.ts'
import { createSessionCache } from './session-cache.ts'

const egress = createRestrictedEgress()

function createFixture() {
  const clock = createManualClock()
  const log: string[] = []
  let opened = 0
  const provider = createSampleProvider(undefined, {
    open: () => {
      opened += 1
      log.push(`open ${opened}`)
      return opened
    },
    close: (session) => void log.push(`close ${session}`),
  })
  const sessions = createSessionCache({ maxIdleMs: 1000, clock })
  const acquire = (token = 'a', trusted = false) =>
    sessions.acquire(provider, { settings: { room: 'r' }, secrets: { token }, timeoutMs: 1, egress, trusted })
  return { clock, log, sessions, acquire, provider }
}
const runMicrotasks = () => new Promise((resolve) => setImmediate(resolve))

describe('a session', () => {
  it('is shared by calls with the same credential', async () => {
    const { acquire } = createFixture()
    const [first, second] = await Promise.all([acquire(), acquire()])
    expect(second.session).toBe(first.session)
  })

  it('is not shared across credentials, trust levels or providers', async () => {
    const { acquire, sessions } = createFixture()
    const other = createFixture()
    const leases = [await acquire('a'), await acquire('b'), await acquire('a', true)]
    expect(new Set(leases.map(({ session }) => session)).size).toBe(3)
    await sessions.acquire(other.provider, { settings: { room: 'r' }, secrets: { token: 'a' }, timeoutMs: 1, egress, trusted: false })
    expect(other.log).toEqual(['open 1'])
  })

  it('is closed after maxIdleMs without use', async () => {
    const { clock, log, acquire, sessions } = createFixture()
    const first = await acquire()
    const second = await acquire()
    first.release()
    clock.advance(5000)
    second.release()
    clock.advance(999)
    await runMicrotasks()
    expect(log).toEqual(['open 1'])
    clock.advance(1)
    await runMicrotasks()
    expect(log).toEqual(['open 1', 'close 1'])
    expect(sessions.size()).toBe(0)
  })

  it('stays open when it is used again in time', async () => {
    const { clock, log, acquire } = createFixture()
    ;(await acquire()).release()
    clock.advance(999)
    const reacquired = await acquire()
    clock.advance(5000)
    await runMicrotasks()
    expect(reacquired.session).toBe(1)
    expect(log).toEqual(['open 1'])
  })

  it('ignores a second release of the same lease', async () => {
    const { clock, log, acquire } = createFixture()
    const [first, second] = [await acquire(), await acquire()]
    first.release()
    first.release()
    clock.advance(5000)
    await runMicrotasks()
    expect(log).toEqual(['open 1'])
    second.release()
  })

  it('is opened again after opening failed', async () => {
    const clock = createManualClock()
    let attempts = 0
    const provider = createSampleProvider(undefined, {
      open: () => {
        attempts += 1
        if (attempts === 1) throw new Error('failed')
        return 'session'
      },
    })
    const sessions = createSessionCache({ maxIdleMs: 1000, clock })
    const context = { settings: {}, secrets: {}, timeoutMs: 1, egress, trusted: false }
    await expect(sessions.acquire(provider, context)).rejects.toThrow('failed')
    expect((await sessions.acquire(provider, context)).session).toBe('session')
  })
})

describe('close', () => {
  it('does not wait for a session that is still opening, but closes it as soon as it is open', async () => {
    const opening = Promise.withResolvers<string>()
    const closed: unknown[] = []
    const provider = createSampleProvider(undefined, { open: () => opening.promise, close: (session) => void closed.push(session) })
    const sessions = createSessionCache({ maxIdleMs: 1000, clock: createManualClock() })
    void sessions.acquire(provider, { settings: {}, secrets: {}, timeoutMs: 1, egress, trusted: false })
    await sessions.close()
    expect(closed).toEqual([])
    opening.resolve('late')
    await runMicrotasks()
    expect(closed).toEqual(['late'])
  })

  it('closes every session and rejects new calls', async () => {
    const { log, acquire, sessions, clock } = createFixture()
    await acquire('a')
    ;(await acquire('b')).release()
    await sessions.close()
    expect(log.toSorted()).toEqual(['close 1', 'close 2', 'open 1', 'open 2'])
    expect(clock.pending()).toBe(0)
    await expect(acquire()).rejects.toMatchObject({ kind: 'provider', code: 'shutting_down', retryable: true })
  })
})
