import { describe, expect, it } from 'vitest'
import type { Notification } from '../src/index.ts'
import type { RouteTable } from '../src/route.ts'
import { json, problem, silence } from './hostile-server.ts'
import { message, notification } from './resources.ts'
import { failureOf, start, startWithTable } from './setup.ts'

const status = (value: Notification['status']) => json(200, { ...notification, status: value })
const accepted = json(202, notification)

describe('settled', () => {
  it('polls until the notification is settled, more and more seldom', async () => {
    await using at = await start()
    at.server.next(accepted, status('queued'), status('sending'), status('partially_sent'))
    const settled = at.flowpost.notifications.send(message).settled()
    // Half of each pause is spread; the test's random number is one half.
    await at.clock.elapse(187.5)
    await at.clock.elapse(375)
    expect((await settled).status).toBe('partially_sent')
    expect(at.server.requests.map(({ url }) => url)).toEqual([
      '/v1/notifications',
      ...Array(3).fill(`/v1/notifications/${notification.id}`),
    ])
    expect(at.clock.pending()).toBe(0)
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
    expect(await failure).toMatchObject({ code: 'timeout', operation: 'notifications.get' })
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

// As the generator writes it once the contract has the query `wait`.
const waiting = {
  notifications: {
    send: { method: 'POST', path: '/v1/notifications', body: true, idempotent: true },
    get: { method: 'GET', path: '/v1/notifications/:notification_id', query: true, wait: 60 },
  },
} as const satisfies RouteTable

interface Waiting {
  notifications: {
    send(body: object): { settled(options?: { timeout: number }): Promise<Notification> }
    get(id: string, params?: { wait?: number }, options?: { timeout?: number }): Promise<Notification>
  }
}

describe('the query `wait`', () => {
  it('is what settled uses instead of polling', async () => {
    await using at = await startWithTable<Waiting>(waiting)
    at.server.next(accepted, status('sending'), status('sent'))
    expect((await at.client.notifications.send(message).settled({ timeout: 90_000 })).status).toBe('sent')
    expect(at.server.requests.slice(1).map(({ url }) => url.split('?')[1])).toEqual(['wait=60', 'wait=60'])
  })

  it('is never longer than what is left', async () => {
    await using at = await startWithTable<Waiting>(waiting)
    at.server.next(accepted, status('sent'))
    await at.client.notifications.send(message).settled({ timeout: 7_900 })
    expect(at.server.requests[1]?.url).toMatch(/\?wait=7$/)
  })

  it('lengthens the deadline to 10 s more, and that of an attempt to 5 s more', async () => {
    await using at = await startWithTable<Waiting>(waiting, { timeout: 1_000, attemptTimeout: 500, maxRetries: 0 })
    at.server.next(silence, status('sent'))
    const failure = failureOf(at.client.notifications.get(notification.id, { wait: 30 }))
    await at.server.received(1)
    await at.clock.scheduled(40_000)
    await at.clock.elapse(35_000)
    expect(await failure).toMatchObject({ code: 'connection_failed' })
  })

  it('does not lengthen the deadline of a call that sets its own', async () => {
    await using at = await startWithTable<Waiting>(waiting)
    at.server.next(silence)
    const failure = failureOf(at.client.notifications.get(notification.id, { wait: 30 }, { timeout: 2_000 }))
    await at.server.received(1)
    await at.clock.elapse(2_000)
    expect(await failure).toMatchObject({ code: 'timeout' })
  })
})
