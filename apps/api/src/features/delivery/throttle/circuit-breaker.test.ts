import { describe, expect, it } from 'vitest'
import { createCircuitBreakers } from './circuit-breaker.ts'

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
    expect(breakers.admit('smtp')).toMatchObject({ admitted: true })
    fail(1)
    expect(breakers.admit('smtp')).toMatchObject({ admitted: false, delayMs: 5_000 })
    expect(breakers.anyOpen()).toBe(true)
    pass(4_999)
    expect(breakers.admit('smtp').admitted).toBe(false)
  })

  it('stays closed as long as a success comes in between', () => {
    const { breakers, fail } = createTestBreakers()
    fail(4)
    breakers.succeeded('smtp')
    fail(4)
    expect(breakers.admit('smtp')).toMatchObject({ admitted: true })
  })

  it('lets a single probe through, and closes when it succeeds', () => {
    const { breakers, fail, pass } = createTestBreakers()
    fail(5)
    pass(5_000)
    expect(breakers.admit('smtp')).toMatchObject({ admitted: true })
    expect(breakers.admit('smtp').admitted).toBe(false)
    breakers.succeeded('smtp')
    expect(breakers.admit('smtp')).toMatchObject({ admitted: true })
    expect(breakers.anyOpen()).toBe(false)
  })

  it('opens for twice as long after each probe that fails, up to a minute', () => {
    const { breakers, fail, pass } = createTestBreakers()
    fail(5)
    let openMs = 5_000
    for (const expected of [10_000, 20_000, 40_000, 60_000, 60_000]) {
      pass(openMs)
      expect(breakers.admit('smtp').admitted).toBe(true)
      fail(1, true)
      openMs = expected
      pass(expected - 1)
      expect(breakers.admit('smtp').admitted).toBe(false)
      pass(1 - expected)
    }
  })

  it('is not opened for longer by attempts that were on their way when it opened', () => {
    const { breakers, fail } = createTestBreakers()
    fail(25)
    expect(breakers.admit('smtp')).toMatchObject({ admitted: false, delayMs: 5_000 })
  })

  it('stays open for the probe when an attempt that was on its way fails meanwhile', () => {
    const { breakers, fail, pass } = createTestBreakers()
    fail(5)
    pass(5_000)
    breakers.admit('smtp')
    fail(1)
    breakers.succeeded('smtp')
    expect(breakers.anyOpen()).toBe(false)
    fail(5)
    pass(5_000)
    breakers.admit('smtp')
    fail(3)
    expect(breakers.admit('smtp')).toMatchObject({ admitted: false, probing: true, delayMs: 30_000 })
  })

  it('knows for how long it has been open, over all failed probes', () => {
    const { breakers, fail, pass } = createTestBreakers()
    expect(breakers.openForMs('smtp')).toBe(0)
    fail(5)
    pass(5_000)
    breakers.admit('smtp')
    fail(1, true)
    pass(1_000)
    expect(breakers.openForMs('smtp')).toBe(6_000)
    breakers.succeeded('smtp')
    expect(breakers.openForMs('smtp')).toBe(0)
  })

  it('lets another probe through when one never says how it went', () => {
    const { breakers, fail, pass } = createTestBreakers()
    fail(5)
    pass(5_000)
    breakers.admit('smtp')
    pass(30_000)
    expect(breakers.admit('smtp')).toMatchObject({ admitted: true })
  })

  it('knows nothing of other credentials', () => {
    const { breakers, fail } = createTestBreakers()
    fail(5)
    expect(breakers.admit('slack')).toMatchObject({ admitted: true })
  })

  it('is forgotten when nothing has failed with the credential for a quarter of an hour', () => {
    const { breakers, fail, pass } = createTestBreakers()
    fail(5)
    pass(15 * 60_000)
    expect(breakers.anyOpen()).toBe(true)
    // Another credential fails meanwhile, as one that took the place of the first would.
    breakers.failed('mailgun', false)
    pass(1)
    expect(breakers.anyOpen()).toBe(false)
    fail(4)
    expect(breakers.admit('smtp')).toMatchObject({ admitted: true })
  })
})

describe('jobs that arrive while a probe is being sent', () => {
  const job = (deliveryId: string) => ({ deliveryId, userId: 'alice', projectId: 'p', sourceType: 'smtp', claim: 1, deferrals: 0 })

  /** A breaker whose probe is being sent, with two jobs that wait for its outcome. */
  const probing = () => {
    const test = createTestBreakers()
    test.fail(5)
    test.pass(5_000)
    expect(test.breakers.admit('smtp')).toEqual({ admitted: true, isProbe: true })
    for (const id of ['a', 'b']) {
      expect(test.breakers.admit('smtp')).toMatchObject({ admitted: false, probing: true })
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

  it('get another probe when the probe was not sent', () => {
    const { breakers } = probing()
    expect(breakers.probeAbandoned('smtp')).toEqual({ waiting: [job('a'), job('b')], delayMs: 0 })
    expect(breakers.admit('smtp')).toEqual({ admitted: true, isProbe: true })
  })

  it('are returned once', () => {
    const { breakers } = probing()
    breakers.failed('smtp', true)
    expect(breakers.succeeded('smtp').waiting).toEqual([])
  })
})
