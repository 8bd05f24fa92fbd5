import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { describe, expect, it } from 'vitest'
import { brokenBody, brokenBodyOf, gibberish, json, problem, reset, text } from '../support/hostile-server.ts'
import { flow, message, notification, project } from '../support/resources.ts'
import { failureOf, start } from '../support/setup.ts'

describe('Retry-After', () => {
  it('fails immediately with retryAfterMs when it exceeds the deadline', async () => {
    await using at = await start()
    at.server.next(problem(429, 'rate_limited', { 'retry-after': '3600' }))
    const error = await failureOf(at.flowpost.projects.get(project.id))
    expect(error).toMatchObject({ code: 'rate_limited', status: 429, retryAfterMs: 3_600_000 })
    expect(at.server.requests).toHaveLength(1)
  })

  it('is honored in seconds', async () => {
    await using at = await start()
    at.server.next(problem(429, 'rate_limited', { 'retry-after': '7' }), json(200, project))
    const call = at.flowpost.projects.get(project.id)
    await at.clock.elapse(7_000)
    expect(await call).toEqual(project)
  })

  it('is honored as a date relative to the Date header', async () => {
    await using at = await start()
    const headers = { date: 'Thu, 01 Jan 2026 00:00:00 GMT', 'retry-after': 'Thu, 01 Jan 2026 00:00:09 GMT' }
    at.server.next(problem(503, 'unavailable', headers), json(200, project))
    const call = at.flowpost.projects.get(project.id)
    await at.clock.elapse(9_000)
    expect(await call).toEqual(project)
  })
})

describe('Retry-After as a date without a Date header', () => {
  it('is relative to the system time, independent of the monotonic clock', async () => {
    const inFiveSeconds = new Date(Math.floor(Date.now() / 1000) * 1000 + 5_000).toUTCString()
    const answers = [new Response('', { status: 503, headers: { 'retry-after': inFiveSeconds } }), Response.json(project)]
    const delays: (number | undefined)[] = []
    await using at = await start({
      fetch: async () => answers.shift() as Response,
      hooks: { onResult: ({ retryInMs }) => delays.push(retryInMs) },
      clock: {
        now: () => 0,
        schedule: (callback, delayMs) => {
          if (delayMs < 10_000) queueMicrotask(callback)
          return () => {}
        },
      },
    })
    expect(await at.flowpost.projects.get(project.id)).toEqual(project)
    expect(delays[0]).toBeGreaterThan(3_000)
    expect(delays[0]).toBeLessThanOrEqual(5_000)
  })
})

describe('maxRetries', () => {
  it('makes one attempt when it is 0', async () => {
    await using at = await start({ maxRetries: 0 })
    at.server.next(problem(503, 'unavailable'))
    const error = await failureOf(at.flowpost.projects.get(project.id))
    expect(error.attempts).toHaveLength(1)
    expect(at.server.requests).toHaveLength(1)
  })

  it('limits the retries', async () => {
    await using at = await start({ maxRetries: 2 })
    at.server.next(problem(503, 'unavailable'), problem(503, 'unavailable'), problem(503, 'unavailable'))
    const failure = failureOf(at.flowpost.projects.get(project.id))
    await at.clock.elapse(250)
    await at.clock.elapse(500)
    expect((await failure).attempts).toMatchObject([{ delayMs: 0 }, { delayMs: 250 }, { delayMs: 500 }])
    expect(at.server.requests).toHaveLength(3)
  })

  it("overrides the client's option when a call sets it", async () => {
    await using at = await start({ maxRetries: 2 })
    at.server.next(problem(503, 'unavailable'))
    expect((await failureOf(at.flowpost.projects.get(project.id, { maxRetries: 0 }))).attempts).toHaveLength(1)
  })
})

describe('a POST whose response is lost', () => {
  it('is retried with the same automatic key', async () => {
    await using at = await start()
    at.server.next(reset, brokenBody, json(202, notification))
    const call = at.flowpost.notifications.send(message)
    await at.clock.elapse(250)
    await at.clock.elapse(500)
    expect((await call).id).toBe(notification.id)
    const keys = at.server.requests.map(({ headers }) => headers['idempotency-key'])
    expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/)
    expect(new Set(keys).size).toBe(1)
    expect(new Set(at.server.requests.map(({ body }) => body)).size).toBe(1)
  })

  it.each([undefined, null])('uses a different key for each call with the option `idempotencyKey: %s`', async (idempotencyKey) => {
    await using at = await start()
    at.server.next(json(202, notification), json(202, notification))
    await at.flowpost.notifications.send(message, { idempotencyKey: idempotencyKey as undefined })
    await at.flowpost.notifications.send(message, { idempotencyKey: idempotencyKey as undefined })
    expect(new Set(at.server.requests.map(({ headers }) => headers['idempotency-key'])).size).toBe(2)
  })

  it("sends the caller's key", async () => {
    await using at = await start()
    at.server.next(json(202, notification))
    await at.flowpost.notifications.send(message, { idempotencyKey: 'invoice-42' })
    expect(at.server.requests[0]?.headers['idempotency-key']).toBe('invoice-42')
  })
})

describe('a transient failure', () => {
  it.each([
    ['408', problem(408, 'request_timeout')],
    ['409 in progress', problem(409, 'idempotency_in_progress')],
    ['425', text(425, '')],
    ['429', problem(429, 'rate_limited')],
    ['500', problem(500, 'internal')],
    ['a 502 from a proxy', text(502, '<html>')],
    ['503', problem(503, 'unavailable')],
    ['a 504 from a proxy', text(504, '')],
    ['a reset', reset],
    ['a broken body', brokenBody],
    ['a response that is not HTTP', gibberish],
  ])('is retried after a delay: %s', async (_, behavior) => {
    await using at = await start()
    at.server.next(behavior, json(201, flow))
    const call = at.flowpost.flows.create(project.id, { name: 'a', source_type: 'smtp', target: 'ops@example.com' })
    await at.clock.elapse(250)
    expect(await call).toEqual(flow)
    expect(at.server.requests).toHaveLength(2)
  })

  it.each([
    ['a DNS failure', 'http://flowpost.invalid'],
    ['a refused connection', undefined],
  ])('is retried after a delay: %s', async (_, baseUrl) => {
    await using at = await start({ baseUrl: baseUrl ?? `http://127.0.0.1:${await closedPort()}` })
    const failure = failureOf(at.flowpost.projects.get(project.id, { maxRetries: 2 }))
    await at.clock.elapse(250)
    await at.clock.elapse(500)
    expect(await failure).toMatchObject({ code: 'connection_failed', status: undefined, attempts: [{}, {}, {}] })
  })
})

describe('a permanent failure', () => {
  it.each([400, 401, 403, 404, 409, 412, 413, 415, 422])('is not retried: status %i', async (status) => {
    await using at = await start()
    at.server.next(problem(status, 'permanent'))
    expect(await failureOf(at.flowpost.projects.get(project.id))).toMatchObject({ status, code: 'permanent' })
    expect(at.server.requests).toHaveLength(1)
  })

  it.each([
    [400, 'connection_failed'],
    [404, 'idempotency_in_progress'],
    [422, 'connection_failed'],
  ])('is not retried: status %i with the code %s in its body', async (status, code) => {
    await using at = await start()
    at.server.next(problem(status, code))
    expect(await failureOf(at.flowpost.projects.create({ name: 'a' }))).toMatchObject({ status, code })
    expect(at.server.requests).toHaveLength(1)
  })

  it('is not retried: a 404 whose body breaks off', async () => {
    await using at = await start()
    at.server.next(brokenBodyOf(404))
    expect(await failureOf(at.flowpost.projects.get(project.id))).toMatchObject({ status: 404, code: 'connection_failed' })
    expect(at.server.requests).toHaveLength(1)
  })
})

const closedPort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
