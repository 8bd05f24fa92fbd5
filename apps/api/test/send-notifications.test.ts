import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addFlow, createFlow, readCompleted, send } from './support/resources.ts'
import { startTestServer, type TestServer } from './support/test-server.ts'

let server: TestServer

beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server[Symbol.asyncDispose]())

const body = (projectId: string, fields: object = {}) => ({ project_id: projectId, subject: 'Invoice', message: 'Ready.', ...fields })

const postRejected = async (path: string, json: object) => {
  const response = await server.request('POST', path, { json })
  return { status: response.status, code: response.json?.code, errors: response.json?.errors }
}

describe('POST /v1/notifications', () => {
  it('sends through every active flow, or only through the named one', async () => {
    const { project, flow } = await createFlow(server)
    const second = await addFlow(server, project.id, { target: 'second@example.com' })
    await addFlow(server, project.id, { target: 'paused@example.com', active: false })
    const targets = async (fields: object) =>
      (await send(server, project.id, fields)).deliveries.map((delivery: { target: string }) => delivery.target).sort()
    expect(await targets({})).toEqual([flow.target, second.target])
    expect(await targets({ flow_id: second.id })).toEqual([second.target])
  })

  it('returns 409 when no flow of the project is active or the named one is inactive', async () => {
    const { project, flow } = await createFlow(server, { active: false })
    expect(await postRejected('/v1/notifications', body(project.id))).toMatchObject({ status: 409, code: 'no_active_flows' })
    expect(await postRejected('/v1/notifications', body(project.id, { flow_id: flow.id }))).toMatchObject({
      status: 409,
      code: 'flow_inactive',
    })
  })

  it('sends to the override targets only, and rejects the request if one of them is not allowed', async () => {
    const { project } = await createFlow(server, { override_target: true })
    await addFlow(server, project.id, { source_type: 'slack', target: 'C024BE91L' })
    const { deliveries } = await send(server, project.id, { target: ' one@Example.com ; one@example.COM;smtp:two@example.com' })
    expect(deliveries.map((delivery: { target: string }) => delivery.target)).toEqual(['one@Example.com', 'two@example.com'])

    const rejected = await postRejected('/v1/notifications', body(project.id, { target: 'one@example.com;slack:C024BE91M' }))
    expect(rejected).toMatchObject({ status: 422, code: 'override_not_allowed', errors: [{ pointer: '/target' }] })
    expect(await postRejected('/v1/notifications', body(project.id, { target: 'mailgun:one@example.com' }))).toMatchObject({
      status: 422,
      code: 'target_unroutable',
    })
    expect(await postRejected('/v1/notifications', body(project.id, { target: 'one@example.com;;' }))).toMatchObject({
      status: 422,
      code: 'validation_failed',
    })
  })

  it('returns 422 with every error', async () => {
    const { project } = await createFlow(server)
    const { status, errors } = await postRejected('/v1/notifications', {
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

  it('returns 422 when send_at is more than 30 days ahead, and sends at once when it is in the past', async () => {
    const { project } = await createFlow(server)
    const tooLate = new Date(Date.now() + 31 * 24 * 3_600_000).toISOString()
    expect(await postRejected('/v1/notifications', body(project.id, { send_at: tooLate }))).toMatchObject({
      status: 422,
      errors: [{ pointer: '/send_at', code: 'too_big' }],
    })
    const { id } = await send(server, project.id, { send_at: '2020-01-01T00:00:00Z' })
    expect((await readCompleted(server, id)).status).toBe('sent')
  })

  it('returns 422 with an error for each flow when the content is too long for its provider', async () => {
    const { project, flow } = await createFlow(server, { source_type: 'slack', target: 'C024BE91L' })
    const rejected = await postRejected('/v1/notifications', body(project.id, { message: 'x'.repeat(40_001) }))
    expect(rejected).toMatchObject({ status: 422, code: 'content_too_long' })
    expect(rejected.errors).toHaveLength(1)
    expect(rejected.errors[0].message).toContain(flow.id)
  })

  it('sends a message as it was accepted, even if the flow changes later', async () => {
    const { project, flow } = await createFlow(server, { message_template: 'before {{message}}' })
    const { id } = await send(server, project.id, { send_at: new Date(Date.now() + 700).toISOString() })
    const path = `/v1/settings/projects/${project.id}/flows/${flow.id}`
    await server.request('PATCH', path, { json: { message_template: 'after {{message}}', target: 'other@example.com', active: false } })
    const [delivery] = (await readCompleted(server, id)).deliveries
    expect(delivery).toMatchObject({ status: 'sent', target: 'ops@example.com' })
    expect((await server.openOutbox(`/${delivery.id}/raw`)).text).toContain('before It is ready.')
  })

  it('does not expand placeholders in values, and sends markup and mentions as text', async () => {
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

  it('returns 409 without credentials when capturing is off', async () => {
    await using withoutCapture = await startTestServer({ env: { FLOWPOST_CAPTURE: 'off' } })
    const { project } = await createFlow(withoutCapture)
    const rejected = await withoutCapture.request('POST', '/v1/notifications', { json: body(project.id) })
    expect(rejected).toMatchObject({ status: 409, json: { code: 'integration_missing' } })
    const { json } = await withoutCapture.request('POST', '/v1/notifications/preview', { json: body(project.id) })
    expect(json.flows[0].faults[0].code).toBe('integration_missing')
  })

  it('returns 503 while the queue is full', async () => {
    await using limited = await startTestServer({ env: { FLOWPOST_QUEUE_LIMIT: '4' } })
    const { project } = await createFlow(limited)
    const later = { send_at: new Date(Date.now() + 60_000).toISOString() }
    await send(limited, project.id, later)
    await send(limited, project.id, later)
    const rejected = await limited.request('POST', '/v1/notifications', { json: body(project.id, later) })
    expect(rejected).toMatchObject({ status: 503, json: { code: 'queue_full' } })
    expect(Number(rejected.headers.get('retry-after'))).toBeGreaterThan(0)
  })
})

describe('POST /v1/notifications/preview', () => {
  it('returns the outcome of every flow, and does not send or store a notification', async () => {
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
        suppressed: [],
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
