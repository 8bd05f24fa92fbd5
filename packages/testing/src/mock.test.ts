import { builtInDescriptions } from '@flowpost/domain'
import { describe, expect, it } from 'vitest'
import { createFlowpostMock } from './mock.ts'

const now = '2026-11-21T10:00:00.000Z'

describe('a mock', () => {
  it('serves a client and records deliveries and requests', async () => {
    const mock = createFlowpostMock({ now })
    const flowpost = mock.client()
    const project = await flowpost.projects.create({ name: 'billing' })
    const flow = await flowpost.flows.create(project.id, {
      name: 'operations',
      source_type: 'smtp',
      target: 'ops@example.com',
      message_template: "'{{subject}}': {{message}}",
    })
    const { id, status } = await flowpost.notifications.send({ project_id: project.id, subject: 'Invoice 42', message: 'Ready.' })
    expect(status).toBe('queued')
    expect(mock.outbox).toEqual([
      {
        notification_id: id,
        delivery_id: expect.stringMatching(/^dlv_/),
        project_id: project.id,
        flow_id: flow.id,
        flow_name: 'operations',
        source_type: 'smtp',
        kind: 'email',
        target: 'ops@example.com',
        subject: 'Invoice 42',
        text: "'Invoice 42': Ready.",
        html: null,
        captured: false,
        attempt: 1,
        sent_at: now,
      },
    ])
    expect(mock.requests.map(({ operation, status: answered }) => [operation, answered])).toEqual([
      ['projects.create', 201],
      ['flows.create', 201],
      ['notifications.send', 202],
    ])
    expect(mock.requests[2]).toMatchObject({ method: 'POST', path: '/v1/notifications', body: { subject: 'Invoice 42' }, received_at: now })
    expect(JSON.stringify(mock.requests)).not.toContain(mock.apiKey)
  })

  it('shares no state with another mock', async () => {
    const [one, other] = [createFlowpostMock(), createFlowpostMock()]
    one.seed.flow()
    expect((await other.client().projects.list()).data).toEqual([])
  })

  it('is deterministic for the same seed and time, even after a reset', async () => {
    const play = async (mock = createFlowpostMock({ now, seed: 3 })) => {
      const flow = mock.seed.flow()
      mock.faults.deliveriesTo(flow.target, { fail: 'outage', times: 2 })
      const sent = mock.client().notifications.send({ project_id: flow.project_id, subject: 'a', message: 'b' })
      return { mock, result: { flow, settled: await sent.settled(), outbox: [...mock.outbox], key: mock.apiKey } }
    }
    const { mock, result } = await play()
    expect((await play()).result).toEqual(result)
    expect((await play(createFlowpostMock({ now, seed: 4 }))).result).not.toEqual(result)

    mock.faults.next('*', 'networkError', { times: 9 })
    mock.reset()
    expect([mock.outbox, mock.requests, mock.clock.now()]).toEqual([[], [], Date.parse(now)])
    expect((await mock.client().projects.list()).data).toEqual([])
    mock.reset()
    expect((await play(mock)).result).toEqual(result)
  })

  it('isolates users', async () => {
    const mock = createFlowpostMock()
    const { id } = mock.seed.project({ name: 'billing', user: 'alice' })
    expect((await mock.client({ user: 'alice' }).projects.get(id)).name).toBe('billing')
    await expect(mock.client({ user: 'bob' }).projects.get(id)).rejects.toMatchObject({ code: 'not_found' })
    await expect(mock.client({ user: 'bob' }).projects.create({ name: 'billing' })).resolves.toMatchObject({ name: 'billing' })
  })

  it('accepts the configured API key', async () => {
    const mock = createFlowpostMock({ apiKey: 'fp_of_the_test' })
    expect(mock.apiKey).toBe('fp_of_the_test')
    const request = (key: string) => mock.fetch(`${mock.baseUrl}/v1/settings/projects`, { headers: { authorization: `Bearer ${key}` } })
    expect((await request('fp_of_the_test')).status).toBe(200)
    expect((await request('fp_another')).status).toBe(401)
  })

  it('supports a base URL with a path', async () => {
    const mock = createFlowpostMock({ baseUrl: 'https://example.com/flowpost/' })
    expect(mock.baseUrl).toBe('https://example.com/flowpost')
    expect((await mock.client().projects.list()).data).toEqual([])
    expect(mock.requests[0]?.path).toBe('/v1/settings/projects')
  })

  it('treats an identifier that cannot be decoded like an unknown one', async () => {
    const mock = createFlowpostMock()
    const request = async (method: string, path: string, key = mock.apiKey) => {
      const response = await mock.fetch(mock.baseUrl + path, { method, headers: { authorization: `Bearer ${key}` } })
      return [response.status, ((await response.json()) as { detail: string }).detail]
    }
    for (const id of ['%ff', '%zz', '%']) {
      const path = `/v1/settings/projects/${id}`
      expect(await request('GET', path)).toEqual([404, 'Not found, or not accessible with this credential.'])
      expect((await request('GET', path, 'fp_unknown'))[0]).toBe(401)
      expect((await request('POST', path))[0]).toBe(405)
    }
    expect(await request('GET', '/%zz')).toEqual([404, 'There is nothing at /%zz.'])
  })

  it('does not execute an aborted request', async () => {
    const mock = createFlowpostMock({ time: 'manual' })
    await expect(mock.client().projects.create({ name: 'a' }, { signal: AbortSignal.abort() })).rejects.toMatchObject({
      name: 'AbortError',
    })

    mock.faults.next('projects.create', { latencyMs: 1_000 })
    const controller = new AbortController()
    const call = mock.client({ maxRetries: 0 }).projects.create({ name: 'a' }, { signal: controller.signal })
    const rejected = expect(call).rejects.toMatchObject({ name: 'AbortError' })
    await mock.clock.advance(500)
    controller.abort()
    await rejected
    await mock.clock.advance(5_000)
    expect((await mock.client().projects.list()).data).toEqual([])
  })

  it("does not send with the deployment's credential after the project's own credential was deleted", async () => {
    const mock = createFlowpostMock({ time: 'manual' })
    const flow = mock.seed.flow()
    const project = { id: flow.project_id }
    mock.seed.integration({ project })
    const client = mock.client()
    const send_at = new Date(mock.clock.now() + 60_000).toISOString()
    const { id } = await client.notifications.send({ project_id: project.id, subject: 'a', message: 'b', send_at })
    await client.integrations.delete(project.id, 'smtp')
    await mock.clock.advance(60_000)
    const [delivery] = (await client.notifications.get(id)).deliveries
    expect(delivery).toMatchObject({ status: 'failed', failure: { code: 'integration_missing' } })

    await client.notifications.retry(id)
    await mock.clock.advance(0)
    expect((await client.notifications.get(id)).status).toBe('sent')
    expect(mock.outbox).toHaveLength(1)
  })

  it('stores an idempotency key for 24 hours', async () => {
    const mock = createFlowpostMock({ time: 'manual' })
    const { project_id } = mock.seed.flow()
    const send = () => mock.client().notifications.send({ project_id, subject: 'a', message: 'b' }, { idempotencyKey: 'invoice-42' })
    const first = await send()
    await mock.clock.advance(24 * 3_600_000 - 1)
    expect(await send()).toMatchObject({ id: first.id })
    await mock.clock.advance(1)
    expect((await send()).id).not.toBe(first.id)
    expect(mock.outbox).toHaveLength(2)
  })

  it('replays the response to a send whose expires_at has passed', async () => {
    const mock = createFlowpostMock({ time: 'manual' })
    const { project_id } = mock.seed.flow()
    const expires_at = new Date(mock.clock.now() + 1_000).toISOString()
    const send = (idempotencyKey: string) =>
      mock.client().notifications.send({ project_id, subject: 'a', message: 'b', expires_at }, { idempotencyKey })
    const first = await send('invoice-42')
    await mock.clock.advance(1_000)
    expect(await send('invoice-42')).toMatchObject({ id: first.id })
    await expect(send('invoice-43')).rejects.toMatchObject({ errors: [{ pointer: '/expires_at', code: 'too_small' }] })
  })

  it.each([{ now: 'some day' }, { baseUrl: 'nowhere' }])('rejects the options %o', (options) => {
    expect(() => createFlowpostMock(options)).toThrow(TypeError)
  })
})

describe('the deployment settings', () => {
  const message = (project_id: string) => ({ project_id, subject: 'a', message: 'b' })

  it('define the providers with credentials', async () => {
    const mock = createFlowpostMock({ credentials: ['smtp'] })
    const flow = mock.seed.flow({ source_type: 'slack', target: 'C024BE91L' })
    const send = () => mock.client().notifications.send(message(flow.project_id))
    await expect(send()).rejects.toMatchObject({ code: 'integration_missing' })
    mock.seed.integration({ project: { id: flow.project_id }, source_type: 'slack', settings: {}, secrets: { token: 'xoxb-1' } })
    await expect(send()).resolves.toMatchObject({ status: 'queued' })
  })

  it('define which messages are captured', async () => {
    const mock = createFlowpostMock({ capture: 'on' })
    const { project_id } = mock.seed.flow()
    const settled = await mock.client().notifications.send(message(project_id)).settled()
    expect(settled.deliveries).toMatchObject([{ status: 'sent', captured: true, attempts: [{ outcome: 'captured' }] }])
    expect(mock.outbox).toMatchObject([{ captured: true }])
  })

  it('define the available providers', async () => {
    const [smtp] = builtInDescriptions
    const pigeon = {
      ...smtp,
      id: 'pigeon',
      kind: 'chat' as const,
      parseTarget: (address: string) => ({ ok: true as const, target: address, key: address }),
    }
    const mock = createFlowpostMock({ providers: [pigeon as never] })
    const { project_id } = mock.seed.flow({ source_type: 'pigeon', target: 'coop 7' })
    await mock.client().notifications.send(message(project_id))
    expect(mock.outbox).toMatchObject([{ source_type: 'pigeon', target: 'coop 7', kind: 'chat' }])
    expect((await mock.client().providers.list()).data.map(({ source_type }) => source_type)).toEqual(['pigeon'])
  })

  it("define a retry policy with the server's defaults for fields that are undefined", async () => {
    const mock = createFlowpostMock({ retryPolicy: { initialWaitMs: undefined, budgetMs: undefined } })
    const { project_id, target } = mock.seed.flow()
    mock.faults.deliveriesTo(target, { fail: 'outage', times: 2 })
    const settled = await mock.client().notifications.send(message(project_id)).settled({ timeout: 600_000 })
    expect(settled.status).toBe('sent')
  })

  it.each([
    [{ time: 'Manual' as never }, '`time` must be `auto` or `manual`'],
    [{ now: 'tomorrow' }, '`now` must be a valid time'],
  ])('are rejected if a value is invalid: %j', (options, message) => {
    expect(() => createFlowpostMock(options)).toThrow(message)
  })
})
