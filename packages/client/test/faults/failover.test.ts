import { describe, expect, it } from 'vitest'
import { type Behaviour, brokenBody, json, problem, reset, silence, text } from '../hostile-server.ts'
import { message, notification, project } from '../resources.ts'
import { failureOf, start } from '../setup.ts'

const unavailable = problem(503, 'unavailable', { 'retry-after': '1' })

/** Lets time pass while the client pauses, until the call has ended. */
const wait = async <T>(at: Awaited<ReturnType<typeof start>>, call: Promise<T>): Promise<T> => {
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

/** Draws from 0 up to 1, the same in each run. */
const seeded = (seed: number) => () => {
  seed = (seed * 48_271) % 2_147_483_647
  return seed / 2_147_483_647
}

describe('a failover of 20 s', () => {
  it.each([
    ['resets', reset],
    ['answers with 503', unavailable],
    ['answers as a proxy without a server', text(502, '<html>Bad gateway</html>')],
    ['breaks off its answers', brokenBody],
  ])('fails no call while the server %s', async (_, behaviour) => {
    for (const seed of [1, 2, 3, 4, 5]) {
      await using at = await start({ random: seeded(seed * 7_919) })
      const upAt = at.clock.now() + 20_000
      const answer: Behaviour = (response, request) => (at.clock.now() < upAt ? behaviour : json(202, notification))(response, request)
      at.server.next(...Array<Behaviour>(100).fill(answer))
      expect(await wait(at, at.flowpost.notifications.send(message))).toEqual(notification)
      // The server may have stored it each time, so each request names the same call.
      expect(new Set(at.server.requests.map(({ headers }) => headers['idempotency-key'])).size).toBe(1)
      expect(at.clock.now() - upAt).toBeLessThan(10_000)
      expect(at.server.requests.length).toBeLessThan(25)
    }
  })

  it('fails no call while connections are refused', async () => {
    const refused = Object.assign(new TypeError('fetch failed'), { cause: new Error('connect ECONNREFUSED') })
    await using at = await start({ random: seeded(42) })
    const upAt = at.clock.now() + 20_000
    at.server.next(json(202, notification))
    const fetch = (url: string, init: RequestInit) => (at.clock.now() < upAt ? Promise.reject(refused) : globalThis.fetch(url, init))
    expect(await wait(at, at.client({ fetch }).notifications.send(message))).toEqual(notification)
  })

  it('fails no call while the server is silent, for as long as one attempt may take', async () => {
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

describe('an outage that outlasts the deadline', () => {
  it('fails with what went wrong, within 60 s', async () => {
    await using at = await start({ random: seeded(42) })
    const startedAt = at.clock.now()
    at.server.next(...Array<Behaviour>(100).fill(unavailable))
    const error = await wait(at, failureOf(at.flowpost.notifications.send(message)))
    expect(error).toMatchObject({ code: 'unavailable', status: 503 })
    expect(error.attempts.length).toBeGreaterThan(10)
    expect(at.clock.now() - startedAt).toBeGreaterThan(50_000)
    expect(at.clock.now() - startedAt).toBeLessThanOrEqual(60_100)
  })
})
