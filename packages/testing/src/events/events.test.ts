import { verifyEvent } from '@flowpost/client/events'
import { describe, expect, it } from 'vitest'
import { createFlowpostMock, type FlowpostMock, type MockOptions } from '../index.ts'

const message = { subject: 'Invoice 42', message: 'It is ready.' }

const start = (options: MockOptions = {}) => {
  const mock = createFlowpostMock({ now: '2026-11-23T08:00:00Z', ...options })
  const flow = mock.seed.flow()
  const endpoint = mock.seed.eventEndpoint({ project_id: flow.project_id })
  const flowpost = mock.client()
  const send = (fields: object = {}) => flowpost.notifications.send({ project_id: flow.project_id, ...message, ...fields })
  return { mock, flow, endpoint, flowpost, send }
}

const typesOf = (mock: FlowpostMock) => mock.events.all.map(({ type }) => type)

/** Creates a receiver that responds with the given statuses first, and then with 204. */
const createReceiver = (mock: FlowpostMock, secret: string, ...statuses: number[]) => {
  const received: string[] = []
  const receive = async (request: Request): Promise<Response> => {
    const event = await verifyEvent(await request.text(), request.headers, secret)
    received.push(event.type)
    return new Response(null, { status: statuses.shift() ?? 204 })
  }
  mock.events.deliverTo(receive)
  return received
}

describe('mock.events.all', () => {
  it('contains the events for all changes in order', async () => {
    const { mock, flow, flowpost, send } = start()
    mock.faults.deliveriesTo('ops@example.com', { fail: 'bounce', times: 1 })
    await send()
    await send()
    mock.faults.deliveriesTo('ops@example.com', 'invalid_credential')
    await flowpost.flows.check(flow.project_id, flow.id)
    await flowpost.notifications.cancel((await send({ send_at: '2026-11-24T08:00:00Z' })).id)
    expect(typesOf(mock)).toEqual([
      'delivery.failed',
      'notification.settled',
      'delivery.sent',
      'notification.settled',
      'flow.healthy',
      'flow.unhealthy',
      'delivery.canceled',
      'notification.settled',
    ])
  })

  it('is empty without an endpoint and after a reset', async () => {
    const { mock, flowpost, flow, endpoint, send } = start()
    await send()
    expect(typesOf(mock)).toHaveLength(3)
    mock.reset()
    expect(typesOf(mock)).toEqual([])
    const without = createFlowpostMock()
    await without.client().notifications.send({ project_id: without.seed.flow().project_id, ...message })
    expect(typesOf(without)).toEqual([])
    await expect(flowpost.eventEndpoints.get(flow.project_id, endpoint.id)).rejects.toMatchObject({ status: 404 })
  })

  it("keeps an event's data when the resource changes", async () => {
    const { mock, flow, flowpost, send } = start()
    mock.faults.deliveriesTo('ops@example.com', { fail: 'bounce', times: 1 })
    const { id } = await send()
    await flowpost.notifications.retry(id)
    const failed = mock.events.all.find(({ type }) => type === 'delivery.failed')
    expect(failed).toMatchObject({ data: { notification_id: id, flow_id: flow.id, attempt_count: 1, status: 'failed' } })
  })
})

describe('a receiver under test', () => {
  it('receives signed requests in order', async () => {
    const { mock, endpoint, send } = start()
    const received = createReceiver(mock, endpoint.secret)
    await send()
    await mock.events.delivered()
    expect(received).toEqual(['delivery.sent', 'notification.settled', 'flow.healthy'])
  })

  it('receives no events from other projects or of other types', async () => {
    const { mock, endpoint, flow, flowpost, send } = start()
    const received = createReceiver(mock, endpoint.secret)
    await flowpost.eventEndpoints.update(flow.project_id, endpoint.id, (current) => ({ ...current, events: ['delivery.sent'] }))
    const other = mock.seed.flow()
    mock.seed.eventEndpoint({ project_id: other.project_id, url: null })
    await flowpost.notifications.send({ project_id: other.project_id, ...message })
    await send()
    await mock.events.delivered()
    expect(received).toEqual(['delivery.sent'])
  })

  it('receives the same event until accepting it, before any later event', async () => {
    const { mock, endpoint, flow, flowpost, send } = start()
    const received = createReceiver(mock, endpoint.secret, 500, 429, 302)
    await send()
    await mock.events.delivered()
    expect(received).toEqual([...Array(4).fill('delivery.sent'), 'notification.settled', 'flow.healthy'])
    const { data } = await flowpost.eventEndpoints.attempts(flow.project_id, endpoint.id)
    expect(data.map(({ outcome, status }) => [outcome, status]).toReversed()).toEqual([
      ['failed', 500],
      ['failed', 429],
      ['failed', 302],
      ...Array(3).fill(['delivered', 204]),
    ])
    expect((await flowpost.eventEndpoints.get(flow.project_id, endpoint.id)).health).toMatchObject({ status: 'healthy', code: null })
  })

  it('is disabled when it fails for the whole retry period, and after an update continues where it stopped', async () => {
    const { mock, endpoint, flow, flowpost, send } = start({ retryPolicy: { budgetMs: 60_000 } })
    mock.events.deliverTo(() => {
      throw new Error('no connection')
    })
    await send()
    await mock.events.delivered()
    const { health } = await flowpost.eventEndpoints.get(flow.project_id, endpoint.id)
    expect(health).toMatchObject({ status: 'disabled', code: 'connection_failed', next_attempt_at: null })
    const received = createReceiver(mock, endpoint.secret)
    await mock.events.delivered()
    expect(received).toEqual([])
    await flowpost.eventEndpoints.update(flow.project_id, endpoint.id, (current) => ({ ...current }))
    await mock.events.delivered()
    expect(received).toEqual(['delivery.sent', 'notification.settled', 'flow.healthy'])
  })

  it('is disabled at once by 410', async () => {
    const { mock, endpoint, flow, flowpost, send } = start()
    const received = createReceiver(mock, endpoint.secret, 410)
    await send()
    await mock.events.delivered()
    expect(received).toEqual(['delivery.sent'])
    expect((await flowpost.eventEndpoints.get(flow.project_id, endpoint.id)).health).toMatchObject({ status: 'disabled', code: 'http_410' })
  })

  it('receives earlier events again after a replay', async () => {
    const { mock, endpoint, flow, flowpost, send } = start()
    await send()
    const received = createReceiver(mock, endpoint.secret)
    await flowpost.eventEndpoints.replay(flow.project_id, endpoint.id, { after: mock.events.all[0]?.id ?? '' })
    await mock.events.delivered()
    expect(received).toEqual(['notification.settled', 'flow.healthy'])
    await flowpost.eventEndpoints.replay(flow.project_id, endpoint.id, { after: null })
    await mock.events.delivered()
    expect(received.slice(2)).toEqual(typesOf(mock))
  })

  it.each(['an update', 'a replay', 'a rotation'])(
    'receives an event again if %s happens during the request, whose result is ignored',
    async (change) => {
      const { mock, endpoint, flow, flowpost, send } = start()
      const path = [flow.project_id, endpoint.id] as const
      const received: string[] = []
      mock.events.deliverTo(async (request) => {
        received.push((JSON.parse(await request.text()) as { type: string }).type)
        if (received.length > 1) return new Response(null, { status: 204 })
        if (change === 'an update') await flowpost.eventEndpoints.update(...path, (current) => ({ ...current, description: 'new' }))
        if (change === 'a replay') await flowpost.eventEndpoints.replay(...path, { after: null })
        if (change === 'a rotation') await flowpost.eventEndpoints.rotateSecret(...path)
        return new Response(null, { status: 410 })
      })
      await send()
      await mock.events.delivered()
      expect(received).toEqual(['delivery.sent', 'delivery.sent', 'notification.settled', 'flow.healthy'])
      expect((await flowpost.eventEndpoints.get(...path)).health).toMatchObject({ status: 'healthy' })
      expect((await flowpost.eventEndpoints.attempts(...path)).data.map(({ status }) => status)).toEqual([204, 204, 204])
    },
  )

  it('can verify with the previous secret for 24 hours after a rotation', async () => {
    const { mock, endpoint, flow, flowpost } = start()
    const rotated = await flowpost.eventEndpoints.rotateSecret(flow.project_id, endpoint.id)
    const test = async (secret: string) => {
      createReceiver(mock, secret)
      return (await flowpost.eventEndpoints.test(flow.project_id, endpoint.id)).outcome
    }
    expect([await test(endpoint.secret), await test(rotated.secret)]).toEqual(['delivered', 'delivered'])
    await mock.clock.advance(24 * 3_600_000)
    expect([await test(endpoint.secret), await test(rotated.secret)]).toEqual(['failed', 'delivered'])
  })

  it('has the secret that the test chooses', async () => {
    const mock = createFlowpostMock()
    const secret = `whsec_${'A'.repeat(43)}=`
    expect(mock.seed.eventEndpoint({ secret })).toMatchObject({ secret, url: 'https://events.example.com/' })
    expect(() => mock.seed.eventEndpoint({ url: 'ftp://example.com/' })).toThrow(/eventEndpoints\.create would be rejected/)
  })
})

describe("following the mock's event feed", () => {
  it('yields events as they occur, and delivery retries advance the time', async () => {
    const { mock, flowpost, send } = start()
    mock.faults.deliveriesTo('ops@example.com', { fail: 'outage', times: 5 })
    const startedAt = mock.clock.now()
    await send()
    const types: string[] = []
    for await (const event of flowpost.events.follow({ type: 'notification.settled' })) {
      types.push(event.type)
      break
    }
    expect(types).toEqual(['notification.settled'])
    expect(mock.clock.now()).toBeGreaterThan(startedAt)
  })

  it('does not advance the time while nothing happens', async () => {
    const { mock, flowpost, send } = start()
    const startedAt = mock.clock.now()
    const next = flowpost.events.follow()[Symbol.asyncIterator]().next()
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(mock.clock.now()).toBe(startedAt)
    await send()
    expect((await next).value).toMatchObject({ type: 'delivery.sent' })
    expect(mock.clock.now()).toBe(startedAt)
  })

  it('does not stop the time for other calls', async () => {
    const { mock, flowpost, send } = start()
    const controller = new AbortController()
    const next = flowpost.events.follow({ signal: controller.signal })[Symbol.asyncIterator]().next()
    mock.faults.next('notifications.send', { status: 429, retryAfter: 10 })
    const startedAt = mock.clock.now()
    await send()
    expect(mock.clock.now() - startedAt).toBeGreaterThanOrEqual(10_000)
    await next
    controller.abort()
  })

  it('ends a wait when a test advances a manual clock', async () => {
    const { mock, flowpost } = start({ time: 'manual' })
    const empty = flowpost.events.list({ wait: 30 })
    await mock.clock.advance(30_000)
    expect((await empty).data).toEqual([])
  })
})

it.each(['localhost:8080', 'ftp://localhost', 'https://'])('rejects the receiver %s, which is no HTTP URL', (receiver) => {
  expect(() => start().mock.events.deliverTo(receiver)).toThrow(TypeError)
})
