import { describe, expect, it } from 'vitest'
import { createManualClock } from '../test/manual-clock.ts'
import { sampleProvider } from '../test/sample-provider.ts'
import { createEgressGuard } from './egress.ts'
import { createSessions } from './sessions.ts'

const egress = createEgressGuard()

function setUp() {
  const clock = createManualClock()
  const log: string[] = []
  let opened = 0
  const provider = sampleProvider(undefined, {
    open: () => {
      opened += 1
      log.push(`open ${opened}`)
      return opened
    },
    close: (session) => void log.push(`close ${session}`),
  })
  const sessions = createSessions({ maxIdleMs: 1000, clock })
  const lease = (token = 'a', trusted = false) =>
    sessions.lease(provider, { settings: { room: 'r' }, secrets: { token }, timeoutMs: 1, egress, trusted })
  return { clock, log, sessions, lease, provider }
}
const settle = () => new Promise((resolve) => setImmediate(resolve))

describe('a session', () => {
  it('is shared by calls with the same credential', async () => {
    const { lease } = setUp()
    const [first, second] = await Promise.all([lease(), lease()])
    expect(second.session).toBe(first.session)
  })

  it('is not shared between credentials, between tenant and deployment, or between providers', async () => {
    const { lease, sessions } = setUp()
    const other = setUp()
    const leases = [await lease('a'), await lease('b'), await lease('a', true)]
    expect(new Set(leases.map(({ session }) => session)).size).toBe(3)
    await sessions.lease(other.provider, { settings: { room: 'r' }, secrets: { token: 'a' }, timeoutMs: 1, egress, trusted: false })
    expect(other.log).toEqual(['open 1'])
  })

  it('is closed after it was idle for a while, not before, and not while it is in use', async () => {
    const { clock, log, lease, sessions } = setUp()
    const first = await lease()
    const second = await lease()
    first.release()
    clock.advance(5000)
    second.release()
    clock.advance(999)
    await settle()
    expect(log).toEqual(['open 1'])
    clock.advance(1)
    await settle()
    expect(log).toEqual(['open 1', 'close 1'])
    expect(sessions.size()).toBe(0)
  })

  it('that is used again in time stays open', async () => {
    const { clock, log, lease } = setUp()
    ;(await lease()).release()
    clock.advance(999)
    const again = await lease()
    clock.advance(5000)
    await settle()
    expect(again.session).toBe(1)
    expect(log).toEqual(['open 1'])
  })

  it('is not released twice by one holder', async () => {
    const { clock, log, lease } = setUp()
    const [first, second] = [await lease(), await lease()]
    first.release()
    first.release()
    clock.advance(5000)
    await settle()
    expect(log).toEqual(['open 1'])
    second.release()
  })

  it('that cannot be opened is tried anew by the next call', async () => {
    const clock = createManualClock()
    let tries = 0
    const provider = sampleProvider(undefined, {
      open: () => {
        tries += 1
        if (tries === 1) throw new Error('no')
        return 'session'
      },
    })
    const sessions = createSessions({ maxIdleMs: 1000, clock })
    const call = { settings: {}, secrets: {}, timeoutMs: 1, egress, trusted: false }
    await expect(sessions.lease(provider, call)).rejects.toThrow('no')
    expect((await sessions.lease(provider, call)).session).toBe('session')
  })
})

describe('closing', () => {
  it('does not wait for a session that is still being opened, but closes it when it is there', async () => {
    const opening = Promise.withResolvers<string>()
    const closed: unknown[] = []
    const provider = sampleProvider(undefined, { open: () => opening.promise, close: (session) => void closed.push(session) })
    const sessions = createSessions({ maxIdleMs: 1000, clock: createManualClock() })
    void sessions.lease(provider, { settings: {}, secrets: {}, timeoutMs: 1, egress, trusted: false })
    await sessions.close()
    expect(closed).toEqual([])
    opening.resolve('late')
    await settle()
    expect(closed).toEqual(['late'])
  })

  it('closes every session, waits for it, and opens no more', async () => {
    const { log, lease, sessions, clock } = setUp()
    await lease('a')
    ;(await lease('b')).release()
    await sessions.close()
    expect(log.toSorted()).toEqual(['close 1', 'close 2', 'open 1', 'open 2'])
    expect(clock.pending()).toBe(0)
    await expect(lease()).rejects.toMatchObject({ kind: 'provider', code: 'shutting_down', retryable: true })
  })
})
