import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setImmediate, setTimeout } from 'node:timers/promises'
import { verifyEvent } from '@flowpost/client/events'
import { describe, expect, it } from 'vitest'
import { createFlowpostMock, type MockOptions } from '../index.ts'

const tomorrow = '2026-11-24T08:00:00Z'

const start = (options: MockOptions = {}) => {
  const mock = createFlowpostMock({ now: '2026-11-23T08:00:00Z', ...options })
  const flow = mock.seed.flow()
  const endpoint = mock.seed.eventEndpoint({ project_id: flow.project_id })
  const flowpost = mock.client()
  const send = (fields: object = {}) =>
    flowpost.notifications.send({ project_id: flow.project_id, subject: 'Invoice 42', message: 'It is ready.', ...fields })
  const attempts = async () => (await flowpost.eventEndpoints.attempts(flow.project_id, endpoint.id)).data.toReversed()
  return { mock, flow, endpoint, flowpost, send, attempts }
}

const accepted = () => new Response(null, { status: 204 })

it('accepts the signatures at its own time, whatever the clock of the mock shows', async () => {
  const { mock, endpoint, send } = start()
  const received: string[] = []
  mock.events.deliverTo(async (request) => {
    received.push((await verifyEvent(await request.text(), request.headers, endpoint.secret)).type)
    return accepted()
  })
  await mock.clock.advance(48 * 3_600_000)
  await send()
  await mock.events.delivered()
  expect(received).toEqual(['delivery.sent', 'notification.settled', 'flow.healthy'])
})

describe('a receiver that calls the client', () => {
  const startWaiting = async (options: MockOptions = {}) => {
    const started = start(options)
    const { mock, flowpost, send } = started
    const { id } = await send({ send_at: tomorrow })
    const statuses: string[] = []
    mock.events.deliverTo(async () => {
      statuses.push((await flowpost.notifications.get(id, { wait: 1 })).status)
      return accepted()
    })
    return { ...started, statuses }
  }

  it('can wait while a test waits for the events', async () => {
    const { mock, send, statuses } = await startWaiting()
    const startedAt = mock.clock.now()
    await send()
    await mock.events.delivered()
    expect(statuses).toEqual(['queued', 'queued', 'queued'])
    expect(mock.clock.now() - startedAt).toBe(3_000)
  })

  it('can wait while a test advances a manual clock', async () => {
    const { mock, send, statuses } = await startWaiting({ time: 'manual' })
    await send()
    await mock.clock.advance(3_000)
    await mock.events.delivered()
    expect(statuses).toEqual(['queued', 'queued', 'queued'])
  })

  it('can wait for a retry', async () => {
    const { mock, flow, flowpost, send } = start()
    const names: string[] = []
    mock.events.deliverTo(async () => {
      names.push((await flowpost.flows.get(flow.project_id, flow.id)).name)
      return accepted()
    })
    mock.faults.next('flows.get', { status: 429, retryAfter: 10 })
    await send()
    await mock.events.delivered()
    expect(names).toEqual(Array(3).fill(flow.name))
  })

  it.each(['auto', 'manual'] as const)('can advance the clock, whose time is %s', async (time) => {
    const { mock, send } = start({ time })
    const startedAt = mock.clock.now()
    mock.events.deliverTo(async () => {
      await mock.clock.advance(1_000)
      return accepted()
    })
    await send()
    await mock.events.delivered()
    expect(mock.clock.now() - startedAt).toBe(3_000)
  })

  it('can wait for a timer of the clock', async () => {
    const { mock, send } = start()
    const startedAt = mock.clock.now()
    mock.events.deliverTo(async () => {
      await new Promise<void>((resolve) => void mock.clock.schedule(resolve, 1_000))
      return accepted()
    })
    await send()
    await mock.events.delivered()
    expect(mock.clock.now() - startedAt).toBe(3_000)
  })

  it('receives an event again if it waits for more than 15 s', async () => {
    const { mock, flowpost, send, attempts } = start()
    const { id } = await send({ send_at: tomorrow })
    const signals: AbortSignal[] = []
    mock.events.deliverTo(async ({ signal }) => {
      if (signals.push(signal) === 1) await flowpost.notifications.get(id, { wait: 60 })
      return accepted()
    })
    await send()
    await mock.events.delivered()
    expect((await attempts()).map(({ code, duration_ms }) => [code, duration_ms])).toEqual([
      ['timed_out', 15_000],
      ...Array(3).fill([null, 0]),
    ])
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, false, false, false])
  })

  it('has its 15 s left when it works while a test waits for something else', async () => {
    const { mock, flowpost, send, attempts } = start()
    const { id } = await send({ send_at: tomorrow })
    const begun = new Promise<void>((resolve) => {
      mock.events.deliverTo(async () => {
        resolve()
        await setTimeout(10)
        return accepted()
      })
    })
    await send()
    await begun
    await flowpost.notifications.get(id, { wait: 25 })
    expect((await attempts()).map(({ code, duration_ms }) => [code, duration_ms])).toEqual(Array(3).fill([null, 0]))
  })

  it('stops the time while it works without waiting', async () => {
    const { mock, flow, endpoint, flowpost } = start()
    const startedAt = mock.clock.now()
    mock.events.deliverTo(async () => {
      for (let turn = 0; turn < 20; turn += 1) await setImmediate()
      return accepted()
    })
    const { outcome } = await flowpost.eventEndpoints.test(flow.project_id, endpoint.id)
    expect([outcome, mock.clock.now() - startedAt]).toEqual(['delivered', 0])
  })
})

it('can wait on the clock and then work when it is called by its URL', async () => {
  const { mock, flow, flowpost, send, attempts } = start()
  const server = createServer(async (_, response) => {
    mock.faults.next('flows.list', { status: 503, retryAfter: 1 })
    await flowpost.flows.list(flow.project_id)
    await setTimeout(20)
    response.writeHead(204).end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  mock.events.deliverTo(`http://127.0.0.1:${(server.address() as AddressInfo).port}/events`)
  const startedAt = performance.now()
  await send()
  await mock.events.delivered()
  server.close()
  server.closeAllConnections()
  expect((await attempts()).map(({ code, duration_ms }) => [code, duration_ms])).toEqual(Array(3).fill([null, 1_000]))
  expect(performance.now() - startedAt).toBeLessThan(1_500)
})

it('receives an event again after a redirect, which is not followed', async () => {
  const { mock, send, attempts } = start()
  const paths: (string | undefined)[] = []
  const server = createServer((request, response) => {
    paths.push(request.url)
    response.writeHead(paths.length === 1 ? 308 : 204, { location: '/elsewhere' }).end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  mock.events.deliverTo(`http://127.0.0.1:${(server.address() as AddressInfo).port}/events`)
  await send()
  await mock.events.delivered()
  server.close()
  server.closeAllConnections()
  expect(paths).toEqual(Array(4).fill('/events'))
  expect((await attempts()).map(({ code }) => code)).toEqual(['http_308', null, null, null])
})

it('receives an event again if it does not respond, and its connection is closed', async () => {
  const { mock, send, attempts } = start()
  const closed: Promise<unknown>[] = []
  const server = createServer((_, response) => {
    if (closed.push(once(response, 'close')) > 1) response.writeHead(204).end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  mock.events.deliverTo(`http://127.0.0.1:${(server.address() as AddressInfo).port}/events`)
  await send()
  await mock.clock.advance(3_600_000)
  await Promise.all(closed)
  server.close()
  server.closeAllConnections()
  expect((await attempts()).map(({ code }) => code)).toEqual(['timed_out', null, null, null])
})

it.each([
  ['a date', () => new Date(Date.now() + 3_600_000).toUTCString()],
  ['seconds', () => '3600'],
])('receives an event again at the time of Retry-After, given as %s', async (_, retryAfter) => {
  const { mock, send, attempts } = start()
  const startedAt = mock.clock.now()
  const responses = [new Response(null, { status: 503, headers: { 'retry-after': retryAfter() } })]
  mock.events.deliverTo(() => responses.shift() ?? accepted())
  await send()
  await mock.events.delivered()
  expect((await attempts()).map(({ status }) => status)).toEqual([503, 204, 204, 204])
  // The delay is not exactly 3,600 s, because an HTTP date has no milliseconds, and the mock adds a random delay of up to 5 s.
  expect(mock.clock.now() - startedAt).toBeGreaterThan(3_590_000)
  expect(mock.clock.now() - startedAt).toBeLessThan(3_610_000)
})

it('is disabled when it fails for the whole retry period, even if retries need no wait', async () => {
  const { mock, flow, endpoint, flowpost, send } = start({ retryPolicy: { initialWaitMs: 0 } })
  mock.events.deliverTo(() => new Response(null, { status: 500 }))
  await send()
  await mock.events.delivered()
  expect((await flowpost.eventEndpoints.get(flow.project_id, endpoint.id)).health).toMatchObject({ status: 'disabled', code: 'http_500' })
})

it('receives no events of a deleted project', async () => {
  const { mock, flow, flowpost, send } = start()
  await send({ send_at: tomorrow })
  const received: string[] = []
  mock.events.deliverTo(async (request) => {
    received.push(await request.text())
    return accepted()
  })
  await flowpost.projects.delete(flow.project_id)
  await mock.events.delivered()
  expect(received).toEqual([])
})
