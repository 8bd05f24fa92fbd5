import { Event } from '@flowpost/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createKey } from './support/api-keys.ts'
import { createEndpoint, endpointPath, eventEnv, readFeed } from './support/event-endpoints.ts'
import { addFlow, createFlow, flowPath, readCompleted, send } from './support/resources.ts'
import { startTestServer, type TestServer } from './support/test-server.ts'

let server: TestServer

beforeAll(async () => {
  server = await startTestServer({ env: { ...eventEnv, FLOWPOST_CAPTURE: 'on' } })
})
afterAll(() => server[Symbol.asyncDispose]())

const inOneHour = () => new Date(Date.now() + 3_600_000).toISOString()
const typesOf = (events: readonly { type: string }[]) => events.map(({ type }) => type)

const createObserved = async (fields: object = {}) => {
  const { project, flow } = await createFlow(server)
  await createEndpoint(server, project.id, fields)
  return { project, flow, query: `project_id=${project.id}` }
}

describe('the feed', () => {
  it('contains each delivery and then its notification as GET returns them, without the subject', async () => {
    const { project, query } = await createObserved()
    const sent = await send(server, project.id, { reference: 'order-1', metadata: { customer: 'c-7' } })
    const completed = await readCompleted(server, sent.id)
    const events = await readFeed(server, query, {}, 2)
    expect(typesOf(events)).toEqual(['delivery.sent', 'notification.settled'])
    for (const event of events) expect(Event.safeParse(event).error).toBeUndefined()
    const { subject: _, ...notification } = completed
    expect(events[1].data).toEqual(notification)
    expect(events[0].data).toEqual({
      ...completed.deliveries[0],
      notification_id: sent.id,
      project_id: project.id,
      test: false,
      reference: 'order-1',
      metadata: { customer: 'c-7' },
    })
  })

  it('contains only events of projects with an active endpoint, and only types that an endpoint subscribes to', async () => {
    const { project, query } = await createObserved({ events: ['delivery.failed', 'notification.settled'] })
    const inactive = await createObserved({ active: false })
    const none = await createFlow(server)
    for (const id of [project.id, inactive.project.id, none.project.id]) await readCompleted(server, (await send(server, id)).id)
    expect(typesOf(await readFeed(server, query, {}, 1))).toEqual(['notification.settled'])
    expect(await readFeed(server, inactive.query)).toEqual([])
    expect(await readFeed(server, `project_id=${none.project.id}`)).toEqual([])
  })

  it('contains deliveries that are canceled by request and by the deletion of their flow', async () => {
    const { project, flow, query } = await createObserved()
    const byRequest = await send(server, project.id, { send_at: inOneHour() })
    await server.request('POST', `/v1/notifications/${byRequest.id}/cancel`)
    const byFlow = await send(server, project.id, { send_at: inOneHour() })
    await server.request('DELETE', flowPath(flow))
    const events = await readFeed(server, query, {}, 4)
    expect(typesOf(events)).toEqual(['delivery.canceled', 'notification.settled', 'delivery.canceled', 'notification.settled'])
    expect(events.map(({ data }) => data.notification_id ?? data.id)).toEqual([byRequest.id, byRequest.id, byFlow.id, byFlow.id])
  })

  it('returns only the events of the given type, and continues after a cursor', async () => {
    const { project, query } = await createObserved()
    const ids: string[] = []
    for (let count = 0; count < 3; count += 1) ids.push((await readCompleted(server, (await send(server, project.id)).id)).id)
    const settled = await readFeed(server, `${query}&type=notification.settled&limit=1`, {}, 3)
    expect(settled.map(({ data }) => data.id)).toEqual(ids)
    const first = await server.request('GET', `/v1/events?${query}&limit=2`)
    expect(first.json.data).toHaveLength(2)
    const rest = await server.request('GET', `/v1/events?${query}&cursor=${first.json.cursor}`)
    expect(rest.json.data).toHaveLength(4)
    const mismatched = await server.request('GET', `/v1/events?${query}&type=delivery.sent&cursor=${first.json.cursor}`)
    expect(mismatched.json.code).toBe('invalid_cursor')
  })

  it('wakes a waiting reader, and returns an empty page with the same cursor after the wait', async () => {
    const { project, query } = await createObserved()
    const started = Date.now()
    const waiting = server.request('GET', `/v1/events?${query}&wait=20`)
    await new Promise((resolve) => setTimeout(resolve, 100))
    await send(server, project.id)
    const { json } = await waiting
    expect(json.data.length).toBeGreaterThan(0)
    expect(Date.now() - started).toBeLessThan(10_000)
    const { json: end } = await server.request('GET', `/v1/events?${query}&cursor=${json.cursor}`)
    const { json: empty } = await server.request('GET', `/v1/events?${query}&cursor=${end.cursor}&wait=1`)
    expect(empty).toEqual({ data: [], cursor: end.cursor })
  })

  it('shows a bound key only the events of its project, and other users nothing', async () => {
    const { project } = await createObserved()
    const other = await createObserved()
    for (const { id } of [project, other.project]) await readCompleted(server, (await send(server, id)).id)
    const { key } = await createKey(server, { scopes: ['notifications:read'], project_id: project.id })
    const events = await readFeed(server, '', { key }, 2)
    expect(new Set(events.map(({ data }) => data.project_id))).toEqual(new Set([project.id]))
    expect((await server.request('GET', `/v1/events?${other.query}`, { key })).status).toBe(404)
    expect(await readFeed(server, '', { key: server.keys.bob })).toEqual([])
    expect((await server.request('GET', `/v1/events?project_id=${project.id}`, { key: server.keys.bob })).status).toBe(404)
  })

  it('returns no events of a deleted project', async () => {
    const { project } = await createObserved()
    await addFlow(server, project.id)
    await readCompleted(server, (await send(server, project.id)).id)
    await send(server, project.id, { send_at: inOneHour() })
    expect((await server.request('DELETE', `/v1/settings/projects/${project.id}`)).status).toBe(204)
    const events = await readFeed(server, 'limit=1000')
    expect(events.filter(({ data }) => data.project_id === project.id)).toEqual([])
  })

  it('stops storing events when the last endpoint is deleted', async () => {
    const { project } = await createFlow(server)
    const endpoint = await createEndpoint(server, project.id)
    expect((await server.request('DELETE', endpointPath(endpoint))).status).toBe(204)
    await readCompleted(server, (await send(server, project.id)).id)
    expect(await readFeed(server, `project_id=${project.id}`)).toEqual([])
  })
})
