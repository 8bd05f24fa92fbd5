import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { describe, expect, it } from 'vitest'
import { isFlowpostError, type Notification, type Operations } from '../src/index.ts'
import type { RouteTable } from '../src/route.ts'
import { type Behavior, json, problem, silence } from './support/hostile-server.ts'
import { message, notification } from './support/resources.ts'
import { failureOf, start, startWithTable } from './support/setup.ts'

const status = (value: Notification['status']) => json(200, { ...notification, status: value })
const accepted = json(202, notification)

describe('settled', () => {
  it('polls until the notification is completed, with backoff when the server responds early', async () => {
    await using at = await start()
    at.server.next(accepted, status('queued'), status('sending'), status('partially_sent'))
    const completion = at.flowpost.notifications.send(message).settled()
    // Jitter applies to half of each delay, and the test's random number is 0.5.
    await at.clock.elapse(187.5)
    await at.clock.elapse(375)
    expect((await completion).status).toBe('partially_sent')
    expect(at.server.requests.map(({ url }) => url)).toEqual([
      '/v1/notifications',
      ...Array(3).fill(`/v1/notifications/${notification.id}?wait=25`),
    ])
    expect(at.clock.pending()).toBe(0)
  })

  it('polls without a wait when the server rejects the wait', async () => {
    await using at = await start({ maxRetries: 0 })
    at.server.next(accepted, problem(429, 'rate_limited'), status('queued'), status('sent'))
    const completion = at.flowpost.notifications.send(message).settled()
    await at.clock.elapse(187.5)
    await at.clock.elapse(375)
    expect((await completion).status).toBe('sent')
    const path = `/v1/notifications/${notification.id}`
    expect(at.server.requests.map(({ url }) => url)).toEqual(['/v1/notifications', `${path}?wait=25`, path, path])
  })

  it('fails when the server also rejects a poll without a wait', async () => {
    await using at = await start({ maxRetries: 0 })
    at.server.next(accepted, problem(429, 'rate_limited'), problem(429, 'rate_limited'))
    const failure = failureOf(at.flowpost.notifications.send(message).settled())
    await at.clock.elapse(187.5)
    expect(await failure).toMatchObject({ code: 'rate_limited', status: 429 })
  })

  it('fails at once when the server demands a longer pause than the time that is left', async () => {
    await using at = await start()
    at.server.next(accepted, problem(429, 'rate_limited', { 'retry-after': '3600' }))
    expect(await failureOf(at.flowpost.notifications.send(message).settled())).toMatchObject({
      code: 'rate_limited',
      retryAfterMs: 3_600_000,
    })
  })

  it('pauses after a rejected wait, even if the rejection took as long as the wait', async () => {
    await using at = await start({ maxRetries: 0 })
    const late: Behavior = (response, request) => {
      at.clock.advance(25_000)
      problem(429, 'rate_limited')(response, request)
    }
    at.server.next(accepted, late, status('sent'))
    const completion = at.flowpost.notifications.send(message).settled()
    await Promise.race([completion, at.clock.scheduled(187.5)])
    expect(at.server.requests).toHaveLength(2)
    at.clock.advance(187.5)
    expect((await completion).status).toBe('sent')
  })

  it('treats an unknown status as final', async () => {
    await using at = await start()
    at.server.next(accepted, status('bounced'))
    expect((await at.flowpost.notifications.send(message).settled()).status).toBe('bounced')
  })

  it('fails with `timeout` when it is not completed in time', async () => {
    await using at = await start()
    at.server.next(accepted, status('queued'), status('queued'))
    const failure = failureOf(at.flowpost.notifications.send(message).settled({ timeout: 500 }))
    await at.clock.elapse(187.5)
    await at.clock.scheduled(375)
    at.clock.advance(500)
    const error = await failure
    expect(error).toMatchObject({ code: 'timeout', operation: 'notifications.get' })
    expect(isFlowpostError(error, 'notifications.get')).toBe(true)
    expect(error.message).toBe(`notifications.get: ${notification.id} was not completed within 500 ms`)
    // The error has only the attempts of the last poll.
    expect(error.attempts).toHaveLength(1)
  })

  it('fails when sending fails', async () => {
    await using at = await start()
    at.server.next(problem(409, 'no_active_flows'))
    expect(await failureOf(at.flowpost.notifications.send(message).settled())).toMatchObject({
      code: 'no_active_flows',
      operation: 'notifications.send',
    })
  })

  it('stops immediately when it is aborted', async () => {
    await using at = await start()
    at.server.next(accepted, status('queued'))
    const controller = new AbortController()
    const completion = at.flowpost.notifications.send(message).settled({ signal: controller.signal })
    await at.clock.scheduled(187.5)
    controller.abort('enough')
    await expect(completion).rejects.toBe('enough')
  })

  it('stops immediately when it is aborted while the notification is being sent', async () => {
    await using at = await start()
    at.server.next(silence)
    const controller = new AbortController()
    const call = at.flowpost.notifications.send(message)
    const completion = call.settled({ signal: controller.signal })
    await at.server.received(1)
    controller.abort('enough')
    await expect(completion).rejects.toBe('enough')
    // The call itself has its own signal and continues.
    const failure = failureOf(call)
    at.clock.advance(60_000)
    expect(await failure).toMatchObject({ code: 'timeout', operation: 'notifications.send' })
    expect(at.clock.pending()).toBe(0)
  })

  // In a child process, because the test runner would report an unhandled rejection as its own.
  it('causes no unhandled rejection when sending fails after it was aborted', async () => {
    const program = `import { createFlowpost } from '${new URL('../src/index.ts', import.meta.url)}'
      const { notifications } = createFlowpost({ baseUrl: 'http://127.0.0.1:1', apiKey: 'fp_x', maxRetries: 0 })
      await notifications.send(${JSON.stringify(message)}).settled({ signal: AbortSignal.abort('before') }).catch(() => {})`
    const child = spawn(process.execPath, ['--input-type=module-typescript', '--eval', program])
    expect((await once(child, 'exit'))[0]).toBe(0)
  })

  it('rejects an invalid signal like any other call', async () => {
    await using at = await start()
    at.server.next(accepted)
    const signal = {} as AbortSignal
    const call = at.flowpost.notifications.send(message)
    const failure = await failureOf(call.settled({ signal }))
    expect(failure).toMatchObject({ code: 'invalid_argument', operation: 'notifications.get', attempts: [] })
    expect(failure.message).toBe((await failureOf(at.flowpost.notifications.get(notification.id, {}, { signal }))).message)
    expect((await call).id).toBe(notification.id)
    expect(at.server.requests).toHaveLength(1)
    expect(at.clock.pending()).toBe(0)
  })

  it('sends the notification once, however often it is called', async () => {
    await using at = await start()
    at.server.next(accepted, status('sent'), status('sent'))
    const call = at.flowpost.notifications.send(message)
    expect((await call).status).toBe('queued')
    expect((await call.settled()).status).toBe('sent')
    expect((await call.settled()).status).toBe('sent')
    expect(at.server.requests.filter(({ method }) => method === 'POST')).toHaveLength(1)
  })
})

describe('long polling', () => {
  it('waits for less than the idle timeout of proxies, and repeats', async () => {
    await using at = await start()
    const waited =
      (seconds: number): Behavior =>
      (response, request) => {
        at.clock.advance(seconds * 1000)
        status('sending')(response, request)
      }
    at.server.next(accepted, waited(25), waited(25), status('sent'))
    expect((await at.flowpost.notifications.send(message).settled({ timeout: 57_900 })).status).toBe('sent')
    expect(at.server.requests.slice(1).map(({ url }) => url.split('?')[1])).toEqual(['wait=25', 'wait=25', 'wait=7'])
  })
})

// An operation without the query parameter `wait`.
const tableWithoutWait = {
  notifications: {
    send: { method: 'POST', path: '/v1/notifications', body: true, idempotent: true },
    get: { method: 'GET', path: '/v1/notifications/:notification_id' },
  },
} as const satisfies RouteTable

describe('a server without long polling', () => {
  it('is polled', async () => {
    await using at = await startWithTable<Pick<Operations, 'notifications'>>(tableWithoutWait)
    at.server.next(accepted, status('queued'), status('sent'))
    const completion = at.client.notifications.send(message).settled()
    await at.clock.elapse(187.5)
    expect((await completion).status).toBe('sent')
    expect(at.server.requests[1]?.url).toBe(`/v1/notifications/${notification.id}`)
  })
})

describe('the query `wait`', () => {
  it('extends the deadline by 10 s and the attempt timeout by 5 s', async () => {
    await using at = await start({ timeout: 1_000, attemptTimeout: 500, maxRetries: 0 })
    at.server.next(silence)
    const failure = failureOf(at.flowpost.notifications.get(notification.id, { wait: 30 }))
    await at.server.received(1)
    await at.clock.scheduled(40_000)
    await at.clock.elapse(35_000)
    expect(await failure).toMatchObject({ code: 'connection_failed' })
  })

  it.each([1e12, Number.NaN, 'soon'])('lets the server validate the value %s', async (wait) => {
    await using at = await start()
    at.server.next(problem(422, 'validation_failed'))
    const call = at.flowpost.notifications.get(notification.id, { wait: wait as number })
    expect(await failureOf(call)).toMatchObject({ code: 'validation_failed' })
  })

  it('does not shorten the timeouts', async () => {
    await using at = await start({ maxRetries: 0 })
    at.server.next(silence)
    const failure = failureOf(at.flowpost.notifications.get(notification.id, { wait: 1 }))
    await at.server.received(1)
    await at.clock.scheduled(60_000)
    await at.clock.elapse(30_000)
    expect(await failure).toMatchObject({ code: 'connection_failed' })
  })

  it('does not extend an explicit timeout', async () => {
    await using at = await start()
    at.server.next(silence)
    const failure = failureOf(at.flowpost.notifications.get(notification.id, { wait: 30 }, { timeout: 2_000 }))
    await at.server.received(1)
    await at.clock.elapse(2_000)
    expect(await failure).toMatchObject({ code: 'timeout' })
  })
})
