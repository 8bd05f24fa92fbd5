import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectProblem } from './support/expect-problem.ts'
import { addFlow, createFlow, flowPath } from './support/resources.ts'
import { startTestServer, type TestServer } from './support/test-server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer({ env: { FLOWPOST_ENCRYPTION_KEY: `k1:${Buffer.alloc(32, 1).toString('base64')}` } })
})
afterAll(() => server[Symbol.asyncDispose]())

// biome-ignore lint/suspicious/noExplicitAny: tests read any JSON response.
const historyOf = async (projectId: string, query = ''): Promise<any[]> => {
  const { json } = await server.request('GET', `/v1/settings/history?project_id=${projectId}${query}`)
  return json.data
}
const fieldsOf = ({
  name,
  active,
  source_type,
  target,
  override_target,
  message_template,
  message_template_type,
}: Record<string, unknown>) => ({
  name,
  active,
  source_type,
  target,
  override_target,
  message_template,
  message_template_type,
})
const short = ({ action, kind, fields }: { action: string; kind: string; fields: string[] }) => [action, kind, ...fields].join(' ')

describe('the settings history', () => {
  it('has every change to a flow, newest first, with the request and the API key that made it', async () => {
    const { project, flow } = await createFlow(server)
    const fields = fieldsOf(flow)
    const change = (method: string, json: object, headers: Record<string, string>) =>
      server.request(method, flowPath(flow), { json, headers })
    const put = await change('PUT', { ...fields, name: 'A', target: 'a@example.com' }, { 'X-Request-Id': 'put-1' })
    await change('PUT', { ...fields, name: 'B' }, { 'X-Request-Id': 'put-2', 'If-Match': put.headers.get('etag') ?? '' })
    await change('PATCH', { key: 'ops', active: false }, { 'X-Request-Id': 'patch-1' })
    await server.request('DELETE', flowPath(flow), { headers: { 'X-Request-Id': 'delete-1' } })

    const entries = await historyOf(project.id)
    expect(entries.map((entry) => `${entry.request_id} ${short(entry)}`).slice(0, 4)).toEqual([
      'delete-1 delete flow',
      'patch-1 update flow /key /active',
      'put-2 update flow /name /target',
      'put-1 update flow /name /target',
    ])
    expect(entries.slice(4).map(short)).toEqual(['create flow', 'create project'])
    const [deleted, patched, , first, created] = entries
    expect(created).toMatchObject({
      resource_id: flow.id,
      project_id: project.id,
      key: null,
      before: null,
      after: { key: null, ...fields },
    })
    expect(first).toMatchObject({ before: { key: null, ...fields }, after: { key: null, ...fields, name: 'A', target: 'a@example.com' } })
    expect(patched).toMatchObject({ key: 'ops', after: { key: 'ops', ...fields, name: 'B', active: false } })
    expect(deleted).toMatchObject({ before: patched.after, after: null })
    expect(new Set(entries.map(({ changed_by }) => changed_by))).toEqual(new Set([expect.stringMatching(/^key_/)]))
    expect(Object.keys(first.after)).toEqual(['key', ...Object.keys(fields)])
  })

  it('has no entry for a request that changes nothing', async () => {
    const { project, flow } = await createFlow(server)
    const put = await server.request('PUT', flowPath(flow), { json: fieldsOf(flow) })
    const etag = put.headers.get('etag') ?? ''
    expect(put.status).toBe(200)
    expect((await server.request('PUT', flowPath(flow), { json: fieldsOf(flow), headers: { 'If-Match': etag } })).status).toBe(200)
    expect((await server.request('PATCH', flowPath(flow), { json: {} })).status).toBe(200)
    expect((await server.request('PUT', `/v1/settings/projects/${project.id}`, { json: { name: project.name } })).status).toBe(200)
    expect((await historyOf(project.id)).map(short)).toEqual(['create flow', 'create project'])
  })

  it('has changes to integrations and event endpoints, with only the names of secrets', async () => {
    const { project } = await createFlow(server)
    const path = `/v1/settings/projects/${project.id}`
    const settings = { host: 'smtp.example.com', from: 'a@example.com', user: 'a' }
    const put = (json: object) => server.request('PUT', `${path}/integrations/smtp`, { json })
    expect((await put({ settings, secrets: { password: 'secret-1' } })).status).toBe(200)
    await put({ settings, secrets: { password: 'secret-2' } })
    await put({ settings: { ...settings, from: 'b@example.com' } })
    await put({ settings: { ...settings, from: 'b@example.com' } })
    await server.request('DELETE', `${path}/integrations/smtp`)
    const endpoint = await server.request('POST', `${path}/event-endpoints`, { json: { url: null, events: ['delivery.failed'] } })
    const endpointPath = `${path}/event-endpoints/${endpoint.json.id}`
    const rotated = await server.request('POST', `${endpointPath}/rotate-secret`)
    const fields = { url: null, events: ['delivery.failed'], active: false, description: '' }
    await server.request('PUT', endpointPath, { json: fields })
    await server.request('PUT', endpointPath, { json: fields })
    await server.request('DELETE', endpointPath)

    const entries = await historyOf(project.id)
    expect(entries.map(short).slice(0, -2)).toEqual([
      'delete event_endpoint',
      'update event_endpoint /active',
      'update event_endpoint /secret',
      'create event_endpoint',
      'delete integration',
      'update integration /settings/from',
      'update integration /secrets/password',
      'create integration',
    ])
    const created = entries.find(({ kind, action }) => kind === 'integration' && action === 'create')
    expect(created).toMatchObject({
      resource_id: null,
      key: 'smtp',
      after: { source_type: 'smtp', settings, secrets: { password: { set: true } } },
    })
    const text = JSON.stringify(entries)
    for (const secret of ['secret-1', 'secret-2', endpoint.json.secret, rotated.json.secret]) expect(text).not.toContain(secret)
  })

  it('has the changes made by an applied document and by the deletion of a project', async () => {
    const flow = { ...fieldsOf((await createFlow(server)).flow), key: 'a' }
    const document = {
      project: { key: 'history-applied', name: 'History applied' },
      flows: [flow, { ...flow, key: 'b' }],
      event_endpoints: [{ key: 'e', url: null, events: ['delivery.sent', 'delivery.failed'], active: true, description: '' }],
    }
    const apply = (json: object) => server.request('POST', '/v1/settings/apply', { json, headers: { 'X-Request-Id': 'apply' } })
    const { project_id } = (await apply(document)).json
    const before = await historyOf(project_id)
    await apply(document)
    expect(await historyOf(project_id)).toEqual(before)
    expect(before.map(short).sort()).toEqual(['create event_endpoint', 'create flow', 'create flow', 'create project'])

    const changed = {
      project: { ...document.project, name: 'Renamed' },
      flows: [{ ...flow, name: 'Renamed' }],
      event_endpoints: [],
      prune: true,
    }
    await apply(changed)
    const after = (await historyOf(project_id)).slice(0, -before.length)
    expect(after.map((entry) => `${entry.key} ${short(entry)}`).sort()).toEqual([
      'a update flow /name',
      'b delete flow',
      'e delete event_endpoint',
      'history-applied update project /name',
    ])
    expect(new Set(after.map(({ request_id }) => request_id))).toEqual(new Set(['apply']))

    await addFlow(server, project_id, { key: 'c' })
    const integration = { settings: { host: 'smtp.example.com', from: 'a@example.com' }, secrets: {} }
    await server.request('PUT', `/v1/settings/projects/${project_id}/integrations/smtp`, { json: integration })
    await server.request('POST', `/v1/settings/projects/${project_id}/event-endpoints`, {
      json: { url: null, events: ['delivery.sent', 'delivery.failed'] },
    })
    const stored = await historyOf(project_id)
    expect((await server.request('DELETE', `/v1/settings/projects/${project_id}`)).status).toBe(204)
    const deleted = (await historyOf(project_id)).slice(0, -stored.length)
    expect(deleted[0]).toMatchObject({
      action: 'delete',
      kind: 'project',
      before: { key: 'history-applied', name: 'Renamed' },
      after: null,
    })
    expect(deleted.map((entry) => `${entry.key} ${short(entry)}`).sort()).toEqual([
      'a delete flow',
      'c delete flow',
      'history-applied delete project',
      'null delete event_endpoint',
      'smtp delete integration',
    ])
    // The settings are recorded as they were when they were stored.
    for (const { resource_id, kind, key, before } of deleted) {
      const last = stored.find((entry) => entry.kind === kind && entry.resource_id === resource_id && entry.key === key)
      expect(before).toEqual(last.after)
      expect(Object.keys(before)).toEqual(Object.keys(last.after))
    }
  })

  it('is listed in pages, for one project or for all', async () => {
    const { project, flow } = await createFlow(server)
    for (const name of ['A', 'B', 'C']) await server.request('PATCH', flowPath(flow), { json: { name } })
    const client = server.client()
    const paged = []
    for await (const entry of client.settings.history({ project_id: project.id, limit: 2 })) paged.push(entry)
    expect(paged).toEqual(await historyOf(project.id))
    expect(paged).toHaveLength(5)
    const all = await server.request('GET', '/v1/settings/history?limit=5')
    expect(all.json.data).toEqual(paged)
    const first = await server.request('GET', `/v1/settings/history?project_id=${project.id}&limit=2`)
    const cursor = first.json.next_cursor
    expectProblem(await server.request('GET', `/v1/settings/history?cursor=${cursor}`), 'invalid_cursor')
  })

  it('does not exceed the page size limit', async () => {
    const { project, flow } = await createFlow(server)
    for (let count = 0; count < 8; count += 1)
      await server.request('PATCH', flowPath(flow), { json: { message_template: `${count}${'ä'.repeat(99_999)}` } })
    const page = await server.request('GET', `/v1/settings/history?project_id=${project.id}`)
    expect(page.text.length).toBeLessThan(1_200_000)
    expect(page.json.next_cursor).not.toBeNull()
    const entries = []
    for await (const { action } of server.client().settings.history({ project_id: project.id })) entries.push(action)
    expect(entries).toEqual([...Array.from({ length: 8 }, () => 'update'), 'create', 'create'])
  })

  it("returns 404 for an unknown project, and for another user's project", async () => {
    const { project } = await createFlow(server)
    const unknown = `${project.id.slice(0, -1)}${project.id.endsWith('0') ? '1' : '0'}`
    expectProblem(await server.request('GET', `/v1/settings/history?project_id=${unknown}`), 'not_found')
    const key = server.keys.bob
    expectProblem(await server.request('GET', `/v1/settings/history?project_id=${project.id}`, { key }), 'not_found')
    const { json } = await server.request('GET', '/v1/settings/history', { key })
    expect(json.data).toEqual([])
  })

  it('shows a bound key only its project', async () => {
    const { project } = await createFlow(server)
    const other = await createFlow(server)
    const bound = await server.request('POST', '/v1/settings/api-keys', {
      json: { name: 'bound', scopes: ['settings:read'], project_id: project.id },
    })
    const { key } = bound.json
    const { json } = await server.request('GET', '/v1/settings/history', { key })
    expect(json.data).toEqual(await historyOf(project.id))
    expectProblem(await server.request('GET', `/v1/settings/history?project_id=${other.project.id}`, { key }), 'not_found')
  })

  it('has the changes of concurrent requests in the order in which they were made', async () => {
    const { project, flow } = await createFlow(server)
    await Promise.all(
      Array.from({ length: 30 }, (_, index) =>
        index % 3 === 0
          ? server.request('PATCH', flowPath(flow), { json: { name: `Patched ${index}` } })
          : server.request('PUT', flowPath(flow), { json: { ...fieldsOf(flow), name: `Replaced ${index}` } }),
      ),
    )
    const entries = (await historyOf(project.id)).filter(({ kind }) => kind === 'flow').reverse()
    expect(entries).toHaveLength(31)
    for (const [index, { before, changed_at }] of entries.entries()) {
      expect(before).toEqual(entries[index - 1]?.after ?? null)
      if (index > 0) expect(changed_at > entries[index - 1].changed_at).toBe(true)
    }
    const { json } = await server.request('GET', flowPath(flow))
    expect(entries.at(-1).after).toEqual({ key: null, ...fieldsOf(json) })
  })
})
