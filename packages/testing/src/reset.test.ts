import { setImmediate } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { createFlowpostMock } from './mock.ts'

const now = '2026-11-21T10:00:00.000Z'

describe('a reset', () => {
  it('aborts requests in progress', async () => {
    const mock = createFlowpostMock({ time: 'manual' })
    const { project_id, target } = mock.seed.flow()
    mock.faults.deliveriesTo(target, { delayMs: 60_000 })
    const { id } = await mock.client().notifications.send({ project_id, subject: 'a', message: 'b' })
    const headers = { authorization: `Bearer ${mock.apiKey}`, 'content-type': 'application/json' }
    const waiting = mock.fetch(`${mock.baseUrl}/v1/notifications/${id}?wait=30`, { headers })
    mock.faults.next('projects.create', { latencyMs: 1_000 })
    const late = mock.fetch(`${mock.baseUrl}/v1/settings/projects`, { method: 'POST', headers, body: '{"name":"late"}' })
    const ended = Promise.all([waiting, late].map((call) => expect(call).rejects.toMatchObject({ name: 'AbortError' })))
    await mock.clock.advance(10)
    mock.reset()
    await ended
    await mock.clock.advance(60_000)
    expect((await mock.client().projects.list()).data).toEqual([])
  })

  it.each([0, 1, 2, 50])('aborts the calls of clients, %i turns after they started', async (turns) => {
    const mock = createFlowpostMock({ time: 'manual', now })
    const client = mock.client()
    const { project_id, target } = mock.seed.flow()
    mock.faults.deliveriesTo(target, { delayMs: 60_000 })
    const { id } = await client.notifications.send({ project_id, subject: 'a', message: 'b' })
    mock.faults.next('notifications.send', { latencyMs: 1_000 })
    mock.faults.next('flows.list', { status: 503, retryAfter: 10 })
    mock.faults.next('projects.list', 'stalledBody')
    const calls = [
      client.notifications.send({ project_id, subject: 'old', message: 'b' }),
      client.notifications.get(id, { wait: 25 }),
      client.flows.list(project_id).withResponse(),
      client.projects.list().withResponse(),
    ].map((call) => expect(call).rejects.toMatchObject({ name: 'AbortError' }))
    for (let turn = 0; turn < turns; turn += 1) await setImmediate()
    mock.reset()
    await Promise.all(calls)

    expect(mock.seed.flow().project_id).toBe(project_id)
    await client.notifications.send({ project_id, subject: 'new', message: 'b' })
    await mock.clock.advance(60_000)
    expect(mock.requests).toMatchObject([{ body: { subject: 'new' } }])
    expect(mock.outbox).toMatchObject([{ subject: 'new' }])
  })

  it('aborts requests whose body is being read', async () => {
    const mock = createFlowpostMock({ now })
    const post = (body: string | ReadableStream) =>
      mock.fetch(`${mock.baseUrl}/v1/settings/projects`, {
        method: 'POST',
        headers: { authorization: `Bearer ${mock.apiKey}`, 'content-type': 'application/json' },
        body,
        duplex: 'half',
      })
    const requests = [post('{"name":"late"}'), post(new ReadableStream())]
    mock.reset()
    await Promise.all(requests.map((request) => expect(request).rejects.toMatchObject({ name: 'AbortError' })))
    // The delay would never end if the aborted requests still marked the clock as busy.
    mock.faults.next('projects.list', { latencyMs: 1_000 })
    expect((await mock.client().projects.list()).data).toEqual([])
    expect(mock.requests).toHaveLength(1)
  })

  it('leaves the clients of other users usable', async () => {
    const mock = createFlowpostMock()
    const client = mock.client({ user: 'alice' })
    mock.reset()
    expect((await client.projects.list()).data).toEqual([])
  })

  it('does not reactivate a disposed client', async () => {
    const mock = createFlowpostMock()
    const client = mock.client()
    client[Symbol.dispose]()
    mock.reset()
    await expect(client.projects.list()).rejects.toMatchObject({ name: 'AbortError' })
    await client[Symbol.asyncDispose]()
  })

  it('leaves the new clock alone, although an aborted call was waiting', async () => {
    const mock = createFlowpostMock({ now })
    mock.faults.next('projects.list', { latencyMs: 1_000 })
    const call = expect(mock.client().projects.list().withResponse()).rejects.toMatchObject({ name: 'AbortError' })
    mock.reset()
    await call
    for (let turn = 0; turn < 50; turn += 1) await setImmediate()
    expect(mock.clock.now()).toBe(Date.parse(now))
  })
})
