import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addFlow, createFlow, readCompleted, send } from './support/resources.ts'
import { startTestServer, type TestServer } from './support/test-server.ts'

let server: TestServer

beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server[Symbol.asyncDispose]())

const body = (projectId: string, fields: object = {}) => ({ project_id: projectId, subject: 'Invoice', message: 'Ready.', ...fields })

const problemOf = async (path: string, json: object) => {
  const response = await server.request('POST', path, { json })
  return { status: response.status, code: response.json?.code, errors: response.json?.errors }
}

describe('a send', () => {
  it('triggers every active flow, and a named one alone', async () => {
    const { project, flow } = await createFlow(server)
    const second = await addFlow(server, project.id, { target: 'second@example.com' })
    await addFlow(server, project.id, { target: 'paused@example.com', active: false })
    const targets = async (fields: object) =>
      (await send(server, project.id, fields)).deliveries.map((delivery: { target: string }) => delivery.target).sort()
    expect(await targets({})).toEqual([flow.target, second.target])
    expect(await targets({ flow_id: second.id })).toEqual([second.target])
  })

  it('is refused when nothing would be sent', async () => {
    const { project, flow } = await createFlow(server, { active: false })
    expect(await problemOf('/v1/notifications', body(project.id))).toMatchObject({ status: 409, code: 'no_active_flows' })
    expect(await problemOf('/v1/notifications', body(project.id, { flow_id: flow.id }))).toMatchObject({
      status: 409,
      code: 'flow_inactive',
    })
  })

  it('to an overriding target reaches that one only, and all or nothing', async () => {
    const { project } = await createFlow(server, { override_target: true })
    await addFlow(server, project.id, { source_type: 'slack', target: 'C024BE91L' })
    const { deliveries } = await send(server, project.id, { target: ' one@Example.com ; one@example.COM;smtp:two@example.com' })
    expect(deliveries.map((delivery: { target: string }) => delivery.target)).toEqual(['one@Example.com', 'two@example.com'])

    const refused = await problemOf('/v1/notifications', body(project.id, { target: 'one@example.com;slack:C024BE91M' }))
    expect(refused).toMatchObject({ status: 422, code: 'override_not_allowed', errors: [{ pointer: '/target' }] })
    expect(await problemOf('/v1/notifications', body(project.id, { target: 'mailgun:one@example.com' }))).toMatchObject({
      status: 422,
      code: 'target_unroutable',
    })
    expect(await problemOf('/v1/notifications', body(project.id, { target: 'one@example.com;;' }))).toMatchObject({
      status: 422,
      code: 'validation_failed',
    })
  })

  it('is refused with every fault at once', async () => {
    const { project } = await createFlow(server)
    const { status, errors } = await problemOf('/v1/notifications', {
      project_id: project.id,
      subject: 'two\r\nlines',
      message: '\ud800',
      message_type: 'text/markdown',
      send_at: 'tomorrow',
      extra: 1,
    })
    expect(status).toBe(422)
    expect(errors.map(({ pointer, code }: { pointer: string; code: string }) => [pointer, code])).toEqual(
      expect.arrayContaining([
        ['/subject', 'invalid_text'],
        ['/message', 'invalid_text'],
        ['/message_type', 'invalid_value'],
        ['/send_at', 'invalid_value'],
        ['/extra', 'unknown_field'],
      ]),
    )
  })

  it('more than 30 days ahead is refused, and one in the past is sent now', async () => {
    const { project } = await createFlow(server)
    const tooLate = new Date(Date.now() + 31 * 24 * 3_600_000).toISOString()
    expect(await problemOf('/v1/notifications', body(project.id, { send_at: tooLate }))).toMatchObject({
      status: 422,
      errors: [{ pointer: '/send_at', code: 'too_big' }],
    })
    const { id } = await send(server, project.id, { send_at: '2020-01-01T00:00:00Z' })
    expect((await readCompleted(server, id)).status).toBe('sent')
  })

  it('that is too long for a provider is refused, with an error for each flow', async () => {
    const { project, flow } = await createFlow(server, { source_type: 'slack', target: 'C024BE91L' })
    const refused = await problemOf('/v1/notifications', body(project.id, { message: 'x'.repeat(40_001) }))
    expect(refused).toMatchObject({ status: 422, code: 'content_too_long' })
    expect(refused.errors).toHaveLength(1)
    expect(refused.errors[0].message).toContain(flow.id)
  })

  it('is sent as it was accepted, whatever changes later', async () => {
    const { project, flow } = await createFlow(server, { message_template: 'before {{message}}' })
    const { id } = await send(server, project.id, { send_at: new Date(Date.now() + 700).toISOString() })
    const path = `/v1/settings/projects/${project.id}/flows/${flow.id}`
    await server.request('PATCH', path, { json: { message_template: 'after {{message}}', target: 'other@example.com', active: false } })
    const [delivery] = (await readCompleted(server, id)).deliveries
    expect(delivery).toMatchObject({ status: 'sent', target: 'ops@example.com' })
    expect((await server.openOutbox(`/${delivery.id}/raw`)).text).toContain('before It is ready.')
  })

  it('does not expand what a value brings, and sends markup and mentions as text', async () => {
    const { project } = await createFlow(server, { message_template: '<p>{{subject}} {{message}}</p>', message_template_type: 'text/html' })
    await addFlow(server, project.id, { source_type: 'slack', target: 'C024BE91L', message_template: '*{{subject}}* {{message}}' })
    const { id } = await send(server, project.id, { subject: '{{message}}', message: '<script>x</script> <!channel>' })
    const raws = await Promise.all(
      (await readCompleted(server, id)).deliveries.map(
        async (delivery: { id: string }) => (await server.openOutbox(`/${delivery.id}/raw`)).text,
      ),
    )
    expect(raws[0]).toContain('<p>{{message}} &lt;script&gt;x&lt;/script&gt; &lt;!channel&gt;</p>')
    expect(raws[1]).toContain('*{{message}}* &lt;script&gt;x&lt;/script&gt; &lt;!channel&gt;')
  })

  it('without credentials is refused where nothing is captured', async () => {
    await using strict = await startTestServer({ env: { FLOWPOST_CAPTURE: 'off' } })
    const { project } = await createFlow(strict)
    const refused = await strict.request('POST', '/v1/notifications', { json: body(project.id) })
    expect(refused).toMatchObject({ status: 409, json: { code: 'integration_missing' } })
    const { json } = await strict.request('POST', '/v1/notifications/preview', { json: body(project.id) })
    expect(json.flows[0].faults[0].code).toBe('integration_missing')
  })

  it('is refused with 503 while too many wait', async () => {
    await using small = await startTestServer({ env: { FLOWPOST_QUEUE_LIMIT: '4' } })
    const { project } = await createFlow(small)
    const later = { send_at: new Date(Date.now() + 60_000).toISOString() }
    await send(small, project.id, later)
    await send(small, project.id, later)
    const refused = await small.request('POST', '/v1/notifications', { json: body(project.id, later) })
    expect(refused).toMatchObject({ status: 503, json: { code: 'queue_full' } })
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  })
})

describe('a preview', () => {
  it('explains every flow, and sends and stores nothing', async () => {
    const { project, flow } = await createFlow(server, { override_target: true, message_template: '{{subject}}: {{message}}' })
    const paused = await addFlow(server, project.id, { active: false })
    const chat = await addFlow(server, project.id, { source_type: 'slack', target: 'C024BE91L' })
    const { status, json } = await server.request('POST', '/v1/notifications/preview', {
      json: body(project.id, { target: 'a@example.com' }),
    })
    expect(status).toBe(200)
    expect(json.flows).toEqual([
      {
        flow_id: flow.id,
        source_type: 'smtp',
        outcome: 'matched',
        reason: null,
        targets: ['a@example.com'],
        captured: true,
        content: { subject: 'Invoice', text: 'Invoice: Ready.', html: null, bytes: 22 },
        faults: [],
      },
      expect.objectContaining({ flow_id: paused.id, outcome: 'skipped', reason: 'inactive', content: null }),
      expect.objectContaining({ flow_id: chat.id, outcome: 'skipped', reason: 'not_targeted', content: null }),
    ])
    expect((await server.request('GET', `/v1/notifications?project_id=${project.id}`)).json.data).toEqual([])
  })
})

describe('the log', () => {
  it('of a flow lists each notification once, however many targets it has and whatever came between', async () => {
    const { project, flow } = await createFlow(server, { override_target: true })
    const { project: other } = await createFlow(server)
    const ids: string[] = []
    for (let number = 0; number < 3; number += 1) {
      ids.unshift((await send(server, project.id, { target: 'one@example.com;two@example.com' })).id)
      await send(server, other.id)
    }
    await readCompleted(server, ids[0] ?? '')
    const found: string[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const { json } = await server.request('GET', `/v1/notifications?flow_id=${flow.id}&limit=1${cursor && `&cursor=${cursor}`}`)
      found.push(...json.data.map(({ id, deliveries }: { id: string; deliveries: unknown[] }) => `${id} ${deliveries.length}`))
      cursor = json.next_cursor
    }
    expect(found).toEqual(ids.map((id) => `${id} 2`))
    const elsewhere = `/v1/notifications?flow_id=${flow.id}&project_id=${other.id}`
    expect((await server.request('GET', elsewhere)).json.data).toEqual([])
    expect((await server.request('GET', `/v1/notifications?flow_id=${flow.id}&status=failed`)).json.data).toEqual([])
  })

  it('lists newest first, filtered, in pages', async () => {
    const { project, flow } = await createFlow(server)
    const ids: string[] = []
    for (let number = 0; number < 5; number += 1) ids.unshift((await send(server, project.id)).id)
    await readCompleted(server, ids[0] ?? '')
    const first = await server.request('GET', `/v1/notifications?project_id=${project.id}&flow_id=${flow.id}&limit=3`)
    const second = await server.request(
      'GET',
      `/v1/notifications?project_id=${project.id}&flow_id=${flow.id}&limit=3&cursor=${first.json.next_cursor}`,
    )
    expect([...first.json.data, ...second.json.data].map(({ id }: { id: string }) => id)).toEqual(ids)
    expect(second.json.next_cursor).toBeNull()
    const other = await server.request('GET', `/v1/notifications?project_id=${project.id}&limit=3&cursor=${first.json.next_cursor}`)
    expect(other).toMatchObject({ status: 400, json: { code: 'invalid_cursor' } })
    expect((await server.request('GET', `/v1/notifications?project_id=${project.id}&status=failed`)).json.data).toEqual([])
  })

  it('pages all deliveries of a notification, of which it embeds the first 100', async () => {
    const { project } = await createFlow(server, { override_target: true })
    const addresses = (flow: number) => Array.from({ length: 60 }, (_, number) => `r${flow}-${number}@example.com`).join(';')
    await addFlow(server, project.id, { override_target: true, target: 'b@example.com' })
    const { id, deliveries } = await send(server, project.id, { target: addresses(1) })
    expect(deliveries).toHaveLength(100)
    const seen = new Set<string>()
    for (let cursor = ''; ; ) {
      const { json } = await server.request('GET', `/v1/notifications/${id}/deliveries?limit=50${cursor && `&cursor=${cursor}`}`)
      for (const delivery of json.data) seen.add(delivery.id)
      if (json.next_cursor === null) break
      cursor = json.next_cursor
    }
    expect(seen.size).toBe(120)
  })

  it('is nobody else’s', async () => {
    const { project } = await createFlow(server)
    const { id } = await send(server, project.id)
    const key = server.keys.bob
    for (const [method, path] of [
      ['GET', `/v1/notifications/${id}`],
      ['GET', `/v1/notifications/${id}/deliveries`],
      ['POST', `/v1/notifications/${id}/retry`],
      ['POST', `/v1/notifications/${id}/cancel`],
      ['GET', `/v1/notifications?project_id=${project.id}`],
    ] as const)
      expect(await server.request(method, path, { key }), path).toMatchObject({ status: 404, json: { code: 'not_found' } })
    expect((await server.request('GET', '/v1/notifications', { key })).json.data).toEqual([])
  })
})
