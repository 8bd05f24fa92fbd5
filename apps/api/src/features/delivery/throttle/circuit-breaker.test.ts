import { smtp, webhook } from '@flowpost/delivery'
import { describe, expect, it } from 'vitest'
import { breakerKeyOf, createCircuitBreakers } from './circuit-breaker.ts'

const createTestBreakers = () => {
  let now = 0
  const breakers = createCircuitBreakers(() => now)
  const fail = (times: number, isProbe = false) => {
    for (let count = 0; count < times; count += 1) breakers.failed('smtp', isProbe)
  }
  return { breakers, fail, pass: (ms: number) => (now += ms) }
}

describe('a circuit breaker', () => {
  it('opens at the fifth failure in a row, for five seconds', () => {
    const { breakers, fail, pass } = createTestBreakers()
    fail(4)
    expect(breakers.admit('smtp', 'probe')).toMatchObject({ admitted: true })
    fail(1)
    expect(breakers.admit('smtp', 'probe')).toMatchObject({ admitted: false, delayMs: 5_000 })
    expect(breakers.anyOpen()).toBe(true)
    expect(breakers.countOpen()).toBe(1)
    pass(4_999)
    expect(breakers.admit('smtp', 'probe').admitted).toBe(false)
  })

  it('stays closed when a success interrupts the failures', () => {
    const { breakers, fail } = createTestBreakers()
    fail(4)
    breakers.succeeded('smtp')
    fail(4)
    expect(breakers.admit('smtp', 'probe')).toMatchObject({ admitted: true })
  })

  it('admits a single probe and closes when it succeeds', () => {
    const { breakers, fail, pass } = createTestBreakers()
    fail(5)
    pass(5_000)
    expect(breakers.admit('smtp', 'probe')).toMatchObject({ admitted: true })
    expect(breakers.admit('smtp', 'probe').admitted).toBe(false)
    breakers.succeeded('smtp')
    expect(breakers.admit('smtp', 'probe')).toMatchObject({ admitted: true })
    expect(breakers.anyOpen()).toBe(false)
  })

  it('opens for twice as long after each probe that fails, up to a minute', () => {
    const { breakers, fail, pass } = createTestBreakers()
    fail(5)
    let openMs = 5_000
    for (const expected of [10_000, 20_000, 40_000, 60_000, 60_000]) {
      pass(openMs)
      expect(breakers.admit('smtp', 'probe').admitted).toBe(true)
      fail(1, true)
      openMs = expected
      pass(expected - 1)
      expect(breakers.admit('smtp', 'probe').admitted).toBe(false)
      pass(1 - expected)
    }
  })

  it('does not stay open longer because of attempts that were in flight when it opened', () => {
    const { breakers, fail } = createTestBreakers()
    fail(25)
    expect(breakers.admit('smtp', 'probe')).toMatchObject({ admitted: false, delayMs: 5_000 })
  })

  it('continues to wait for its probe when an earlier attempt fails', () => {
    const { breakers, fail, pass } = createTestBreakers()
    fail(5)
    pass(5_000)
    breakers.admit('smtp', 'probe')
    fail(1)
    breakers.succeeded('smtp')
    expect(breakers.anyOpen()).toBe(false)
    fail(5)
    pass(5_000)
    breakers.admit('smtp', 'probe')
    fail(3)
    expect(breakers.admit('smtp', 'probe')).toMatchObject({ admitted: false, probing: true, delayMs: 30_000 })
  })

  it('returns the time since it opened, including all failed probes', () => {
    const { breakers, fail, pass } = createTestBreakers()
    expect(breakers.openForMs('smtp')).toBe(0)
    fail(5)
    pass(5_000)
    breakers.admit('smtp', 'probe')
    fail(1, true)
    pass(1_000)
    expect(breakers.openForMs('smtp')).toBe(6_000)
    breakers.succeeded('smtp')
    expect(breakers.openForMs('smtp')).toBe(0)
  })

  it('admits another probe when the outcome of the first is never reported', () => {
    const { breakers, fail, pass } = createTestBreakers()
    fail(5)
    pass(5_000)
    breakers.admit('smtp', 'probe')
    pass(30_000)
    expect(breakers.admit('smtp', 'probe')).toMatchObject({ admitted: true })
  })

  it('stays closed when a rate limit is reported after it has closed', () => {
    const { breakers, fail } = createTestBreakers()
    fail(4)
    breakers.limited('smtp', 30_000)
    expect(breakers.admit('smtp', 'probe')).toEqual({ admitted: true, isProbe: false })
  })

  it('does not affect other credentials', () => {
    const { breakers, fail } = createTestBreakers()
    fail(5)
    expect(breakers.admit('slack', 'probe')).toMatchObject({ admitted: true })
  })

  it('covers one target if each target of the provider has its own server, otherwise one credential', () => {
    expect(breakerKeyOf(webhook, 'credential', 'billing')).not.toBe(breakerKeyOf(webhook, 'credential', 'orders'))
    expect(breakerKeyOf(webhook, 'credential', 'billing')).not.toBe(breakerKeyOf(webhook, 'other', 'billing'))
    expect(breakerKeyOf(smtp, 'credential', 'ada@example.com')).toBe('credential')
  })

  it('is removed ten minutes after the last failure of its credential, well before the alert for open breakers fires', () => {
    const { breakers, fail, pass } = createTestBreakers()
    fail(5)
    pass(10 * 60_000)
    expect(breakers.anyOpen()).toBe(true)
    // Meanwhile, another credential fails.
    breakers.failed('mailgun', false)
    pass(1)
    expect(breakers.anyOpen()).toBe(false)
    fail(4)
    expect(breakers.admit('smtp', 'probe')).toMatchObject({ admitted: true })
  })
})

describe('the expiry of circuit breakers', () => {
  it('removes no breaker whose provider keeps failing, even if every other probe is lost', () => {
    const { breakers, fail, pass } = createTestBreakers()
    fail(5)
    for (let minute = 0; minute < 60; minute += 2) {
      pass(60_000)
      expect(breakers.admit('smtp', 'lost')).toEqual({ admitted: true, isProbe: true })
      pass(60_000)
      expect(breakers.admit('smtp', 'probe')).toEqual({ admitted: true, isProbe: true })
      fail(1, true)
      expect(breakers.countOpen()).toBe(1)
    }
  })
})

describe('jobs that arrive while a probe is being sent', () => {
  const job = (deliveryId: string) => ({ deliveryId, userId: 'alice', projectId: 'p', sourceType: 'smtp', claim: 1, deferrals: 0 })

  /** Creates a breaker whose probe is being sent while two jobs wait for the outcome of the probe. */
  const probing = () => {
    const test = createTestBreakers()
    test.fail(5)
    test.pass(5_000)
    expect(test.breakers.admit('smtp', 'probe')).toEqual({ admitted: true, isProbe: true })
    for (const id of ['a', 'b']) {
      expect(test.breakers.admit('smtp', 'probe')).toMatchObject({ admitted: false, probing: true })
      test.breakers.awaitProbe('smtp', job(id))
    }
    return test
  }

  it('may start at once when the probe succeeds', () => {
    expect(probing().breakers.succeeded('smtp')).toEqual({ waiting: [job('a'), job('b')], delayMs: 0 })
  })

  it('wait as long as the breaker stays open when the probe fails', () => {
    expect(probing().breakers.failed('smtp', true)).toEqual({ waiting: [job('a'), job('b')], delayMs: 10_000 })
  })

  it('wait as long as the provider requests when the probe is rate-limited, but not longer than a minute', () => {
    expect(probing().breakers.limited('smtp', 30_000)).toEqual({ waiting: [job('a'), job('b')], delayMs: 30_000 })
    expect(probing().breakers.limited('smtp', 600_000)).toEqual({ waiting: [job('a'), job('b')], delayMs: 60_000 })
  })

  it('take the place of a probe that was not sent, ten at a time', () => {
    const { breakers } = probing()
    const others = Array.from({ length: 10 }, (_, index) => job(`other ${index}`))
    for (const other of others) breakers.awaitProbe('smtp', other)
    expect(breakers.probeAbandoned('smtp')).toEqual({ waiting: [job('a'), job('b'), ...others.slice(0, 8)], delayMs: 0 })
    expect(breakers.admit('smtp', 'a')).toEqual({ admitted: true, isProbe: true })
    expect(breakers.probeAbandoned('smtp')).toEqual({ waiting: others.slice(8), delayMs: 0 })
    expect(breakers.admit('smtp', 'b')).toEqual({ admitted: true, isProbe: true })
    expect(breakers.probeAbandoned('smtp').waiting).toEqual([])
  })

  it('are returned with their last claims', () => {
    const { breakers } = probing()
    const claimedAgain = { ...job('a'), claim: 2 }
    breakers.awaitProbe('smtp', claimedAgain)
    expect(breakers.succeeded('smtp').waiting).toEqual([job('b'), claimedAgain])
  })

  it('are not returned after one of them has become the probe', () => {
    const { breakers, pass } = probing()
    pass(30_000)
    expect(breakers.admit('smtp', 'a')).toEqual({ admitted: true, isProbe: true })
    expect(breakers.succeeded('smtp').waiting).toEqual([job('b')])
  })

  it('are returned only once', () => {
    const { breakers } = probing()
    breakers.failed('smtp', true)
    expect(breakers.succeeded('smtp').waiting).toEqual([])
  })
})
