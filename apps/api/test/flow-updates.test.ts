import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createProject } from './support/api-keys.ts'
import { onDatabase } from './support/direct-database.ts'
import { expectProblem } from './support/expect-problem.ts'
import { allFlowFields, createFlow, flowPath, flowsPath } from './support/resources.ts'
import { startTestServer, type TestServer } from './support/test-server.ts'

let server: TestServer
let project: string

const create = (json: object) => server.request('POST', flowsPath(project), { json })

beforeAll(async () => {
  server = await startTestServer({ env: { FLOWPOST_RATE_LIMIT: 'off' } })
  project = await createProject(server, 'flows')
})
afterAll(() => server[Symbol.asyncDispose]())

describe('PUT of a flow', () => {
  it('is rejected and changes nothing unless all seven fields are given', async () => {
    const flow = (await create(allFlowFields)).json
    for (const field of Object.keys(allFlowFields)) {
      const { [field as keyof typeof allFlowFields]: _, ...otherFields } = allFlowFields
      const response = await server.request('PUT', flowPath(flow), {
        json: { ...otherFields, ...(field === 'name' ? {} : { name: 'changed' }) },
      })
      expect(expectProblem(response, 'validation_failed')).toEqual([`body /${field} required`])
    }
    expect((await server.request('GET', flowPath(flow))).json).toEqual(flow)
  })

  it('replaces the seven fields and no others', async () => {
    const flow = (await create(allFlowFields)).json
    const mailgun = { source_type: 'mailgun', target: 'ops@example.com', message_template_type: 'text/html' }
    const fields = { name: 'By mail', active: true, override_target: false, message_template: '<p>{{message}}</p>', ...mailgun }
    const updated = await server.request('PUT', flowPath(flow), { json: fields })
    expect([updated.status, updated.json]).toEqual([200, expect.objectContaining({ ...fields, id: flow.id, created_at: flow.created_at })])
    expect((await server.request('GET', flowPath(flow))).json).toMatchObject(fields)
  })

  it('is rejected with read-only fields', async () => {
    const flow = (await create(allFlowFields)).json
    const errors = expectProblem(await server.request('PUT', flowPath(flow), { json: flow }), 'validation_failed')
    expect(errors).toEqual(
      expect.arrayContaining(['body /id unknown_field', 'body /warnings unknown_field', 'body /created_at unknown_field']),
    )
  })
})

describe('PATCH of a flow', () => {
  it('changes only the given fields', async () => {
    const flow = (await create(allFlowFields)).json
    const changed = await server.request('PATCH', flowPath(flow), { json: { active: true } })
    expect([changed.status, changed.json]).toEqual([200, { ...flow, active: true, updated_at: changed.json.updated_at }])
    const unchanged = await server.request('PATCH', flowPath(flow), { json: {} })
    expect([unchanged.status, unchanged.json]).toEqual([200, { ...changed.json, updated_at: unchanged.json.updated_at }])
  })

  it('checks a new provider against the stored target, and a new target against the stored provider', async () => {
    const flow = (await create(allFlowFields)).json
    expect(expectProblem(await server.request('PATCH', flowPath(flow), { json: { source_type: 'smtp' } }), 'validation_failed')).toEqual([
      'body /target invalid_target',
    ])
    expect(
      expectProblem(
        await server.request('PATCH', flowPath(flow), { json: { target: 'ops@example.com', name: '' } }),
        'validation_failed',
      ).sort(),
    ).toEqual(['body /name too_short', 'body /target invalid_target'])
    const both = await server.request('PATCH', flowPath(flow), { json: { source_type: 'smtp', target: 'ops@example.com' } })
    expect(both.status).toBe(200)
  })

  it('is rejected with null for any field', async () => {
    const flow = (await create(allFlowFields)).json
    for (const field of Object.keys(allFlowFields))
      expect(expectProblem(await server.request('PATCH', flowPath(flow), { json: { [field]: null } }), 'validation_failed'), field).toEqual(
        [expect.stringMatching(new RegExp(`^body /${field} invalid_(type|value)$`))],
      )
  })

  it('deactivates a flow whose provider is no longer registered, and rejects a new target for it', async () => {
    const first = await startTestServer()
    const { flow } = await createFlow(first)
    await first.stop()
    await onDatabase(first.database, (query) => query(`update flows set source_type = 'removed'`))
    await using restarted = await first.restart()
    const patch = (json: object) => restarted.request('PATCH', flowPath(flow), { json })

    const { status, json } = await patch({ active: false })
    expect([status, json.source_type, json.active]).toEqual([200, 'removed', false])
    expect(expectProblem(await patch({ target: 'a@example.com' }), 'validation_failed')).toEqual(['body /source_type invalid_value'])
    expect((await patch({ source_type: 'smtp' })).status).toBe(200)
  })

  it('applies concurrent changes of different fields', async () => {
    const flow = (await create(allFlowFields)).json
    await Promise.all([
      server.request('PATCH', flowPath(flow), { json: { name: 'renamed' } }),
      server.request('PATCH', flowPath(flow), { json: { active: true } }),
      server.request('PATCH', flowPath(flow), { json: { message_template: 'new {{message}}' } }),
    ])
    expect((await server.request('GET', flowPath(flow))).json).toMatchObject({
      name: 'renamed',
      active: true,
      message_template: 'new {{message}}',
    })
  })
})
