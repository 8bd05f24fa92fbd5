import { describe, expect, it } from 'vitest'
import { type Behavior, brokenBody, json, problem, reset, silence, text } from '../support/hostile-server.ts'
import { message, notification, project } from '../support/resources.ts'
import { failureOf, start } from '../support/setup.ts'

const unavailable = problem(503, 'unavailable', { 'retry-after': '1' })

/** Advances the clock until the call has ended. */
const advanceUntilDone = async <T>(at: Awaited<ReturnType<typeof start>>, call: Promise<T>): Promise<T> => {
  let ended = false
  const done = call.finally(() => {
    ended = true
  })
  done.catch(() => {})
  while (!ended) {
    at.clock.advance(50)
    await new Promise(setImmediate)
  }
  return done
}

/** Creates a seeded generator of numbers in the range (0, 1). */
const createRandom = (seed: number) => () => {
  seed = (seed * 48_271) % 2_147_483_647
  return seed / 2_147_483_647
}

describe('a failover of 20 s', () => {
  it.each([
    ['resets', reset],
    ['responds with 503', unavailable],
    ['is behind a proxy that responds with 502', text(502, '<html>Bad gateway</html>')],
    ['breaks off its responses', brokenBody],
  ])('fails no call when the server %s', async (_, behavior) => {
    for (const seed of [1, 2, 3, 4, 5]) {
      await using at = await start({ random: createRandom(seed * 7_919) })
      const upAt = at.clock.now() + 20_000
      const respond: Behavior = (response, request) => (at.clock.now() < upAt ? behavior : json(202, notification))(response, request)
      at.server.next(...Array<Behavior>(100).fill(respond))
      expect(await advanceUntilDone(at, at.flowpost.notifications.send(message))).toEqual(notification)
      // The server may have stored each request, so all of them need the same key.
      expect(new Set(at.server.requests.map(({ headers }) => headers['idempotency-key'])).size).toBe(1)
      expect(at.clock.now() - upAt).toBeLessThan(10_000)
      expect(at.server.requests.length).toBeLessThan(25)
    }
  })

  it('fails no call while connections are refused', async () => {
    const connectionRefused = Object.assign(new TypeError('fetch failed'), { cause: new Error('connect ECONNREFUSED') })
    await using at = await start({ random: createRandom(42) })
    const upAt = at.clock.now() + 20_000
    at.server.next(json(202, notification))
    const fetch = (url: string, init: RequestInit) =>
      at.clock.now() < upAt ? Promise.reject(connectionRefused) : globalThis.fetch(url, init)
    expect(await advanceUntilDone(at, at.client({ fetch }).notifications.send(message))).toEqual(notification)
  })

  it('fails no call while the server does not respond', async () => {
    await using at = await start({ attemptTimeout: 5_000 })
    at.server.next(silence, silence, silence, json(200, project))
    const call = at.flowpost.projects.get(project.id)
    for (const [index, pauseMs] of [250, 500, 1_000].entries()) {
      await at.server.received(index + 1)
      at.clock.advance(5_000)
      await at.clock.elapse(pauseMs)
    }
    expect(await call).toEqual(project)
  })
})

describe('an outage beyond the deadline', () => {
  it('fails with the last error within 60 s', async () => {
    await using at = await start({ random: createRandom(42) })
    const startedAt = at.clock.now()
    at.server.next(...Array<Behavior>(100).fill(unavailable))
    const error = await advanceUntilDone(at, failureOf(at.flowpost.notifications.send(message)))
    expect(error).toMatchObject({ code: 'unavailable', status: 503 })
    expect(error.attempts.length).toBeGreaterThan(10)
    expect(at.clock.now() - startedAt).toBeGreaterThan(50_000)
    expect(at.clock.now() - startedAt).toBeLessThanOrEqual(60_100)
  })
})
