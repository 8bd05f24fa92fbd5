import { describe, expect, it } from 'vitest'
import { isFlowpostError, type Notification, type Operations } from '../src/index.ts'
import type { RouteTable } from '../src/route.ts'
import { type Behaviour, json, problem, silence } from './hostile-server.ts'
import { message, notification } from './resources.ts'
import { failureOf, start, startWithTable } from './setup.ts'

const status = (value: Notification['status']) => json(200, { ...notification, status: value })
const accepted = json(202, notification)

describe('settled', () => {
  it('asks until the notification is settled, more and more seldom when it is answered early', async () => {
    await using at = await start()
    at.server.next(accepted, status('queued'), status('sending'), status('partially_sent'))
    const settled = at.flowpost.notifications.send(message).settled()
    // Half of each pause is spread; the test's random number is one half.
    await at.clock.elapse(187.5)
    await at.clock.elapse(375)
    expect((await settled).status).toBe('partially_sent')
    expect(at.server.requests.map(({ url }) => url)).toEqual([
      '/v1/notifications',
      ...Array(3).fill(`/v1/notifications/${notification.id}?wait=25`),
    ])
    expect(at.clock.pending()).toBe(0)
  })

  it('asks without a wait where the server has too many that wait', async () => {
    await using at = await start({ maxRetries: 0 })
    at.server.next(accepted, problem(429, 'rate_limited'), status('queued'), status('sent'))
    const settled = at.flowpost.notifications.send(message).settled()
    await at.clock.elapse(187.5)
    await at.clock.elapse(375)
    expect((await settled).status).toBe('sent')
    const path = `/v1/notifications/${notification.id}`
    expect(at.server.requests.map(({ url }) => url)).toEqual(['/v1/notifications', `${path}?wait=25`, path, path])
  })

  it('fails as the asking fails when it is refused without a wait too', async () => {
    await using at = await start({ maxRetries: 0 })
    at.server.next(accepted, problem(429, 'rate_limited'), problem(429, 'rate_limited'))
    const failure = failureOf(at.flowpost.notifications.send(message).settled())
    await at.clock.elapse(187.5)
    expect(await failure).toMatchObject({ code: 'rate_limited', status: 429 })
  })

  it('takes a status that it does not know as settled', async () => {
    await using at = await start()
    at.server.next(accepted, status('bounced'))
    expect((await at.flowpost.notifications.send(message).settled()).status).toBe('bounced')
  })

  it('fails with `timeout` when it is not settled in time', async () => {
    await using at = await start()
    at.server.next(accepted, status('queued'), status('queued'))
    const failure = failureOf(at.flowpost.notifications.send(message).settled({ timeout: 500 }))
    await at.clock.elapse(187.5)
    await at.clock.scheduled(375)
    at.clock.advance(500)
    const error = await failure
    expect(error).toMatchObject({ code: 'timeout', operation: 'notifications.get' })
    expect(isFlowpostError(error, 'notifications.get')).toBe(true)
    expect(error.message).toBe(`notifications.get: ${notification.id} has not settled within 500 ms`)
    // Those of the last question, however many were asked before.
    expect(error.attempts).toHaveLength(1)
  })

  it('fails as the sending fails', async () => {
    await using at = await start()
    at.server.next(problem(409, 'no_active_flows'))
    expect(await failureOf(at.flowpost.notifications.send(message).settled())).toMatchObject({
      code: 'no_active_flows',
      operation: 'notifications.send',
    })
  })

  it('stops at once when it is aborted', async () => {
    await using at = await start()
    at.server.next(accepted, status('queued'))
    const controller = new AbortController()
    const settled = at.flowpost.notifications.send(message).settled({ signal: controller.signal })
    await at.clock.scheduled(187.5)
    controller.abort('enough')
    await expect(settled).rejects.toBe('enough')
  })

  it('sends the notification once, however often it is asked', async () => {
    await using at = await start()
    at.server.next(accepted, status('sent'), status('sent'))
    const call = at.flowpost.notifications.send(message)
    expect((await call).status).toBe('queued')
    expect((await call.settled()).status).toBe('sent')
    expect((await call.settled()).status).toBe('sent')
    expect(at.server.requests.filter(({ method }) => method === 'POST')).toHaveLength(1)
  })
})

describe('the server', () => {
  it('is asked to wait, for less than what proxies cut, and asked again when it did', async () => {
    await using at = await start()
    const waited =
      (seconds: number): Behaviour =>
      (response, request) => {
        at.clock.advance(seconds * 1000)
        status('sending')(response, request)
      }
    at.server.next(accepted, waited(25), waited(25), status('sent'))
    expect((await at.flowpost.notifications.send(message).settled({ timeout: 57_900 })).status).toBe('sent')
    expect(at.server.requests.slice(1).map(({ url }) => url.split('?')[1])).toEqual(['wait=25', 'wait=25', 'wait=7'])
  })
})

// For the operation of a server that cannot wait.
const impatient = {
  notifications: {
    send: { method: 'POST', path: '/v1/notifications', body: true, idempotent: true },
    get: { method: 'GET', path: '/v1/notifications/:notification_id' },
  },
} as const satisfies RouteTable

describe('a server that cannot wait', () => {
  it('is polled', async () => {
    await using at = await startWithTable<Pick<Operations, 'notifications'>>(impatient)
    at.server.next(accepted, status('queued'), status('sent'))
    const settled = at.client.notifications.send(message).settled()
    await at.clock.elapse(187.5)
    expect((await settled).status).toBe('sent')
    expect(at.server.requests[1]?.url).toBe(`/v1/notifications/${notification.id}`)
  })
})

describe('the query `wait`', () => {
  it('lengthens the deadline to 10 s more, and that of an attempt to 5 s more', async () => {
    await using at = await start({ timeout: 1_000, attemptTimeout: 500, maxRetries: 0 })
    at.server.next(silence)
    const failure = failureOf(at.flowpost.notifications.get(notification.id, { wait: 30 }))
    await at.server.received(1)
    await at.clock.scheduled(40_000)
    await at.clock.elapse(35_000)
    expect(await failure).toMatchObject({ code: 'connection_failed' })
  })

  it.each([1e12, Number.NaN, 'soon'])('leaves the answer to %s to the server', async (wait) => {
    await using at = await start()
    at.server.next(problem(422, 'validation_failed'))
    const call = at.flowpost.notifications.get(notification.id, { wait: wait as number })
    expect(await failureOf(call)).toMatchObject({ code: 'validation_failed' })
  })

  it('does not shorten them', async () => {
    await using at = await start({ maxRetries: 0 })
    at.server.next(silence)
    const failure = failureOf(at.flowpost.notifications.get(notification.id, { wait: 1 }))
    await at.server.received(1)
    await at.clock.scheduled(60_000)
    await at.clock.elapse(30_000)
    expect(await failure).toMatchObject({ code: 'connection_failed' })
  })

  it('does not lengthen the deadline of a call that sets its own', async () => {
    await using at = await start()
    at.server.next(silence)
    const failure = failureOf(at.flowpost.notifications.get(notification.id, { wait: 30 }, { timeout: 2_000 }))
    await at.server.received(1)
    await at.clock.elapse(2_000)
    expect(await failure).toMatchObject({ code: 'timeout' })
  })
})
