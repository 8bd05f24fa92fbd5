import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { createKey } from './support/api-keys.ts'
import { createEndpoint, endpointPath, endpointsPath, eventEnv } from './support/event-endpoints.ts'
import { expectProblem } from './support/expect-problem.ts'
import { createFlow } from './support/resources.ts'
import { startTestServer, type TestServer } from './support/test-server.ts'

let server: TestServer

beforeAll(async () => {
  server = await startTestServer({ env: eventEnv })
})
afterAll(() => server[Symbol.asyncDispose]())

const fields = { url: 'https://billing.example.com/events', events: ['delivery.failed'], active: true, description: 'Billing' }
const createProject = async () => (await createFlow(server)).project

describe('an event endpoint', () => {
  it('is created with a secret that is returned once', async () => {
    const project = await createProject()
    const response = await server.request('POST', endpointsPath(project.id), { json: fields })
    expect(response.status).toBe(201)
    const { secret, ...endpoint } = response.json
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    expect(endpoint).toMatchObject({ ...fields, project_id: project.id, health: { status: 'unknown' } })
    expect(response.headers.get('location')).toBe(endpointPath(endpoint))
    const read = await server.request('GET', endpointPath(endpoint))
    expect(read.json).toEqual(endpoint)
    expect(read.headers.get('etag')).toBe(response.headers.get('etag'))
    expect((await server.request('GET', endpointsPath(project.id))).json).toEqual({ data: [endpoint], next_cursor: null })
  })

  it('is not created twice with the same idempotency key', async () => {
    const project = await createProject()
    const request = { json: fields, headers: { 'Idempotency-Key': 'once' } }
    expect((await server.request('POST', endpointsPath(project.id), request)).status).toBe(201)
    expectProblem(await server.request('POST', endpointsPath(project.id), request), 'idempotency_not_replayable')
    expect((await server.request('GET', endpointsPath(project.id))).json.data).toHaveLength(1)
  })

  it.each([
    [{ url: 'ftp://example.com' }, 'body /url invalid_value'],
    [{ url: 'https://user:password@example.com' }, 'body /url invalid_value'],
    [{ url: 'https://example.com/#part' }, 'body /url invalid_value'],
    [{ events: [] }, 'body /events too_short'],
    [{ events: ['delivery.*'] }, 'body /events/0 invalid_value'],
    [{ events: ['test.ping'] }, 'body /events/0 invalid_value'],
    [{ description: 'a'.repeat(256) }, 'body /description too_long'],
  ])('is rejected with %o', async (change, error) => {
    const project = await createProject()
    const response = await server.request('POST', endpointsPath(project.id), { json: { ...fields, ...change } })
    expect(expectProblem(response, 'validation_failed')).toEqual([error])
  })

  it('is updated as a whole, with an entity tag that does not depend on the health', async () => {
    const endpoint = await createEndpoint(server, (await createProject()).id)
    const path = endpointPath(endpoint)
    const etag = (await server.request('GET', path)).headers.get('etag') ?? ''
    const updated = await server.request('PUT', path, { json: { ...fields, active: false }, headers: { 'If-Match': etag } })
    expect(updated.json).toMatchObject({ ...fields, active: false })
    expectProblem(await server.request('PUT', path, { json: fields, headers: { 'If-Match': etag } }), 'etag_mismatch')
    expectProblem(await server.request('DELETE', path, { headers: { 'If-Match': etag } }), 'etag_mismatch')
    const current = updated.headers.get('etag') ?? ''
    expect((await server.request('GET', path, { headers: { 'If-None-Match': current } })).status).toBe(304)
    expect((await server.request('DELETE', path, { headers: { 'If-Match': current } })).status).toBe(204)
    expectProblem(await server.request('GET', path), 'not_found')
  })

  it('is rejected when the project has 20 endpoints', async () => {
    const project = await createProject()
    for (let count = 0; count < 20; count += 1) await createEndpoint(server, project.id)
    expectProblem(await server.request('POST', endpointsPath(project.id), { json: fields }), 'too_many_event_endpoints')
  })

  it('cannot be tested or replayed without a URL', async () => {
    const path = endpointPath(await createEndpoint(server, (await createProject()).id))
    expectProblem(await server.request('POST', `${path}/test`), 'event_endpoint_without_url')
    expectProblem(await server.request('POST', `${path}/replay`, { json: { after: null } }), 'event_endpoint_without_url')
  })

  it('changes its entity tag and returns a new secret when the secret is rotated', async () => {
    const endpoint = await createEndpoint(server, (await createProject()).id)
    const path = endpointPath(endpoint)
    const before = (await server.request('GET', path)).headers.get('etag')
    const { status, json } = await server.request('POST', `${path}/rotate-secret`)
    expect(status).toBe(200)
    expect(json.secret).not.toBe(endpoint.secret)
    expect((await server.request('GET', path)).headers.get('etag')).not.toBe(before)
  })

  it('is invisible to other users, to keys of other projects, and below other projects', async () => {
    const endpoint = await createEndpoint(server, (await createProject()).id)
    const other = await createProject()
    const { key } = await createKey(server, { scopes: ['settings:read', 'settings:write'], project_id: other.id })
    const foreign = endpointPath({ ...endpoint, project_id: other.id })
    const requests = [
      ['GET', '', undefined],
      ['PUT', '', fields],
      ['DELETE', '', undefined],
      ['POST', '/rotate-secret', undefined],
      ['POST', '/test', undefined],
      ['GET', '/attempts', undefined],
      ['POST', '/replay', { after: null }],
    ] as const
    for (const [method, suffix, json] of requests) {
      const body = json === undefined ? {} : { json }
      expectProblem(await server.request(method, endpointPath(endpoint) + suffix, { ...body, key: server.keys.bob }), 'not_found')
      expectProblem(await server.request(method, endpointPath(endpoint) + suffix, { ...body, key }), 'not_found')
      expectProblem(await server.request(method, foreign + suffix, body), 'not_found')
    }
    expect((await server.request('GET', endpointPath(endpoint))).status).toBe(200)
  })
})

describe.runIf(inject('postgres'))('a deployment without an encryption key', () => {
  it('cannot create an event endpoint', async () => {
    await using limited = await startTestServer()
    const { project } = await createFlow(limited)
    expectProblem(await limited.request('POST', endpointsPath(project.id), { json: fields }), 'encryption_not_configured')
  })
})
