import { Writable } from 'node:stream'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createLog } from '../log.ts'
import { createFailedAuthentication, failureLimit } from './failed-authentication.ts'

const lines: string[] = []
const log = createLog({
  level: 'warn',
  destination: new Writable({
    write: (chunk, _encoding, done) => {
      lines.push(String(chunk))
      done()
    },
  }),
})

beforeEach(() => {
  lines.length = 0
  vi.useFakeTimers({ toFake: ['Date'] })
})
afterEach(() => vi.useRealTimers())

/** Creates a generator of numbers that look random but are the same in each run. */
const randomNumbers = (): (() => number) => {
  let state = 1
  return () => {
    state = (state * 48_271) % 2_147_483_647
    return state / 2_147_483_647
  }
}

const failUntilLimit = async (failures: ReturnType<typeof createFailedAuthentication>, address: string) => {
  for (let count = 0; count < failureLimit.requests; count += 1) {
    await failures.admit(address, `guess ${count}`)
    await failures.failed(address, `guess ${count}`)
  }
}

describe('failed authentication', () => {
  it('is rejected with the time to wait after 60 failures in a minute', async () => {
    const failures = createFailedAuthentication({ log })
    await failUntilLimit(failures, '203.0.113.7')
    vi.advanceTimersByTime(18_500)

    await expect(failures.admit('203.0.113.7', 'guess 59')).rejects.toMatchObject({
      code: 'rate_limited',
      headers: {
        'Retry-After': '42',
        'RateLimit-Policy': '"failed-authentication";q=60;w=60',
        RateLimit: '"failed-authentication";r=0;t=42',
      },
    })
  })

  it('causes at most one verification of a new credential per second above the limit', async () => {
    const failures = createFailedAuthentication({ log })
    await failUntilLimit(failures, '203.0.113.7')
    let verified = 0
    for (let count = 0; count < 100; count += 1) {
      vi.advanceTimersByTime(100)
      await failures.admit('203.0.113.7', `another guess ${count}`).then(
        () =>
          failures
            .failed('203.0.113.7', `another guess ${count}`)
            .catch(() => {})
            .finally(() => (verified += 1)),
        () => {},
      )
    }

    expect(verified).toBeGreaterThan(5)
    expect(verified).toBeLessThanOrEqual(10)
  })

  it('causes fewer than 150 verifications for 1,000 repeated guesses above the limit, and at most one of each guess', async () => {
    const failures = createFailedAuthentication({ log, random: randomNumbers() })
    await failUntilLimit(failures, '203.0.113.7')
    const verified: string[] = []
    const guess = async (token: string) => {
      const admitted = await failures.admit('203.0.113.7', token).then(
        () => true,
        () => false,
      )
      if (!admitted) return
      verified.push(token)
      await failures.failed('203.0.113.7', token).catch(() => {})
    }
    for (let round = 0; round < 2; round += 1) for (let count = 0; count < 1_000; count += 1) await guess(`another guess ${count}`)

    expect(verified.length).toBeGreaterThan(20)
    expect(verified.length).toBeLessThan(150)
    expect(new Set(verified).size).toBe(verified.length)
  })

  it('delays a valid credential by less than a minute when a stranger repeats every guess', async () => {
    const failures = createFailedAuthentication({ log, random: randomNumbers() })
    await failUntilLimit(failures, '203.0.113.7')
    // The SDK retries a rate-limited call for at most 60 s.
    const maxSeconds = 60
    let second = 0
    for (let isValid = false; !isValid && second < maxSeconds; second += 1) {
      vi.advanceTimersByTime(1_000)
      // In each second, the attacker sends 500 guesses before the valid credential arrives.
      for (let count = 0; count < 500; count += 1) {
        const token = `guess ${second}.${count % 250}`
        const admitted = await failures.admit('203.0.113.7', token).catch(() => 'rejected')
        if (admitted === undefined) await failures.failed('203.0.113.7', token).catch(() => {})
      }
      isValid = (await failures.admit('203.0.113.7', 'valid').catch(() => 'rejected')) === undefined
    }
    expect(second).toBeLessThan(maxSeconds)
  })

  it('delays a new valid credential by at most a second when a stranger floods the address', async () => {
    const failures = createFailedAuthentication({ log })
    await failUntilLimit(failures, '203.0.113.7')
    for (let count = 0; count < 50; count += 1) await failures.admit('203.0.113.7', `flood ${count}`).catch(() => {})

    await expect(failures.admit('203.0.113.7', 'valid')).rejects.toMatchObject({
      code: 'rate_limited',
      headers: { 'Retry-After': '1', 'RateLimit-Policy': '"verification";q=1;w=1', RateLimit: '"verification";r=0;t=1' },
    })
    vi.advanceTimersByTime(1_000)
    for (let count = 50; count < 100; count += 1) await failures.admit('203.0.113.7', `flood ${count}`).catch(() => {})
    await expect(failures.admit('203.0.113.7', 'valid')).resolves.toBeUndefined()
    failures.succeeded('valid')
    for (let count = 0; count < 10; count += 1) await expect(failures.admit('203.0.113.7', 'valid')).resolves.toBeUndefined()
  })

  it('is counted per address', async () => {
    const failures = createFailedAuthentication({ log })
    await failUntilLimit(failures, '203.0.113.7')

    await expect(failures.admit('203.0.113.8', 'a guess')).resolves.toBeUndefined()
  })

  it('expires after a minute', async () => {
    const failures = createFailedAuthentication({ log })
    await failUntilLimit(failures, '203.0.113.7')
    vi.advanceTimersByTime(60_001)

    await expect(failures.admit('203.0.113.7', 'a guess')).resolves.toBeUndefined()
  })

  it('does not lock out a valid credential until that credential itself fails', async () => {
    const failures = createFailedAuthentication({ log })
    failures.succeeded('good')
    await failUntilLimit(failures, '203.0.113.7')

    await expect(failures.admit('203.0.113.7', 'good')).resolves.toBeUndefined()
    await expect(failures.failed('203.0.113.7', 'good')).rejects.toMatchObject({ code: 'rate_limited' })
    await expect(failures.admit('203.0.113.7', 'good')).rejects.toMatchObject({ code: 'rate_limited' })
  })

  it('is limited for concurrent requests too', async () => {
    const failures = createFailedAuthentication({ log })
    const guesses = Array.from({ length: 100 }, (_, index) => failures.failed('203.0.113.7', `guess ${index}`))
    const outcomes = await Promise.allSettled(guesses)

    expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(100 - failureLimit.requests)
  })

  it('is logged once when an address reaches the limit', async () => {
    const failures = createFailedAuthentication({ log })
    await failUntilLimit(failures, '203.0.113.7')
    await failures.admit('203.0.113.7', 'x').catch(() => {})

    expect(lines).toHaveLength(1)
    expect(lines[0]).toContain('203.0.113.7')
    expect(lines[0]).not.toContain('guess')
  })

  it('remembers 10,000 valid credentials and evicts the least recently used one', async () => {
    const failures = createFailedAuthentication({ log })
    failures.succeeded('first')
    failures.succeeded('second')
    failures.succeeded('first')
    for (let count = 0; count < 9_999; count += 1) failures.succeeded(`other ${count}`)
    await failUntilLimit(failures, '203.0.113.7')
    // Uses up the one verification per second that the address is allowed above the limit.
    await failures.admit('203.0.113.7', 'a guess')

    await expect(failures.admit('203.0.113.7', 'first')).resolves.toBeUndefined()
    await expect(failures.admit('203.0.113.7', 'second')).rejects.toMatchObject({ code: 'rate_limited' })
  })
})
