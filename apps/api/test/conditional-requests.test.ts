import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectProblem } from './support/expect-problem.ts'
import { createFlow } from './support/resources.ts'
import { startTestServer, type TestServer } from './support/test-server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer({
    env: { FLOWPOST_RATE_LIMIT: 'off', FLOWPOST_ENCRYPTION_KEY: `k1:${Buffer.alloc(32, 1).toString('base64')}` },
  })
})
afterAll(() => server[Symbol.asyncDispose]())

interface Resource {
  readonly path: string
  readonly body: object
  readonly method: 'PUT' | 'PATCH'
}

let renames = 0

/** Creates a resource of each kind that has an ETag, and a write that changes it. */
const resources: Record<string, () => Promise<Resource>> = {
  project: async () => {
    const { project } = await createFlow(server)
    renames += 1
    return { path: `/v1/settings/projects/${project.id}`, body: { name: `renamed ${renames}` }, method: 'PUT' }
  },
  'flow with PUT': async () => {
    const { project, flow } = await createFlow(server)
    const { active, message_template, message_template_type, name, override_target, source_type } = flow
    const body = { active, message_template, message_template_type, name, override_target, source_type, target: 'changed@example.com' }
    return { path: `/v1/settings/projects/${project.id}/flows/${flow.id}`, body, method: 'PUT' }
  },
  'flow with PATCH': async () => {
    const { project, flow } = await createFlow(server)
    return { path: `/v1/settings/projects/${project.id}/flows/${flow.id}`, body: { active: false }, method: 'PATCH' }
  },
  integration: async () => {
    const { project } = await createFlow(server)
    const path = `/v1/settings/projects/${project.id}/integrations/slack`
    await server.request('PUT', path, { json: { settings: {}, secrets: { token: 'xoxb-1-2-first' } } })
    return { path, body: { settings: {}, secrets: { token: 'xoxb-1-2-second' } }, method: 'PUT' }
  },
}

const read = async (path: string) => {
  const response = await server.request('GET', path)
  return { etag: response.headers.get('etag') ?? '', json: response.json }
}

describe.each(Object.keys(resources))('a %s', (kind) => {
  const create = () => resources[kind]?.() ?? Promise.reject(new Error(kind))
  const write = (resource: Resource, ifMatch?: string) =>
    server.request(resource.method, resource.path, { json: resource.body, headers: ifMatch === undefined ? {} : { 'If-Match': ifMatch } })
  const remove = (resource: Resource, ifMatch: string) => server.request('DELETE', resource.path, { headers: { 'If-Match': ifMatch } })

  it('has a strong ETag, which changes only with the resource', async () => {
    const resource = await create()
    const before = await read(resource.path)
    expect(before.etag).toMatch(/^"[\x21\x23-\x7e]+"$/)
    expect((await read(resource.path)).etag).toBe(before.etag)
    const written = await write(resource)
    expect(written.headers.get('etag')).not.toBe(before.etag)
    expect((await read(resource.path)).etag).toBe(written.headers.get('etag'))
  })

  it('is written when If-Match contains its ETag or is *', async () => {
    for (const condition of [(etag: string) => etag, (etag: string) => `"other", ${etag} ,W/"weak"`, () => '*', () => ' * ']) {
      const resource = await create()
      expect((await write(resource, condition((await read(resource.path)).etag))).status).toBe(200)
    }
  })

  it('is neither written nor deleted when If-Match is stale or weak, or contains only a part of the ETag', async () => {
    const resource = await create()
    const { etag, json } = await read(resource.path)
    for (const condition of ['"stale"', `W/${etag}`, `"${etag.slice(1, -2)}"`, '"a,*,b"', '"*"', '""', `"other", W/${etag}`]) {
      expectProblem(await write(resource, condition), 'etag_mismatch')
      expectProblem(await remove(resource, condition), 'etag_mismatch')
    }
    expect((await read(resource.path)).json).toEqual(json)
  })

  it('is neither written nor deleted when If-Match is malformed', async () => {
    const resource = await create()
    const { etag } = await read(resource.path)
    for (const condition of ['stale', etag.slice(1), etag.slice(0, -1), `${etag} ${etag}`, `w/${etag}`, `*, ${etag}`, ',', "'x'"]) {
      expect(expectProblem(await write(resource, condition), 'malformed_header'), condition).toEqual(['header /if-match invalid_value'])
      expectProblem(await remove(resource, condition), 'malformed_header')
    }
    expect((await read(resource.path)).etag).toBe(etag)
  })

  it('accepts one of several concurrent writes with the same If-Match', async () => {
    const resource = await create()
    const { etag } = await read(resource.path)
    const responses = await Promise.all(Array.from({ length: 8 }, () => write(resource, etag)))
    expect(responses.map(({ status }) => status).sort()).toEqual([200, ...Array.from({ length: 7 }, () => 412)])
  })

  it('returns 304 without a body when If-None-Match matches', async () => {
    const resource = await create()
    const { etag } = await read(resource.path)
    for (const condition of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const response = await server.request('GET', resource.path, { headers: { 'If-None-Match': condition } })
      expect([response.status, response.text, response.headers.get('etag')], condition).toEqual([304, '', etag])
      const head = await server.request('HEAD', resource.path, { headers: { 'If-None-Match': condition } })
      expect(head.status).toBe(304)
    }
    for (const condition of ['"other"', '"a,*,b"']) {
      const response = await server.request('GET', resource.path, { headers: { 'If-None-Match': condition } })
      expect([response.status, response.headers.get('etag')]).toEqual([200, etag])
    }
    const malformed = await server.request('GET', resource.path, { headers: { 'If-None-Match': 'x' } })
    expect(expectProblem(malformed, 'malformed_header')).toEqual(['header /if-none-match invalid_value'])
  })

  it('is deleted when If-Match contains its ETag', async () => {
    const resource = await create()
    const { etag } = await read(resource.path)
    expect((await remove(resource, etag)).status).toBe(204)
    expectProblem(await remove(resource, etag), 'not_found')
    expectProblem(await server.request('GET', resource.path, { headers: { 'If-None-Match': etag } }), 'not_found')
  })
})

describe('a conditional request', () => {
  it('succeeds for a resource without an ETag', async () => {
    for (const path of ['/v1/settings/projects', '/v1/notifications', '/livez', '/metrics'])
      for (const method of ['GET', 'HEAD'])
        expect((await server.request(method, path, { headers: { 'If-None-Match': '*' } })).status, path).toBe(200)
  })

  it("returns 404, not 412, for another user's resource", async () => {
    const { project } = await createFlow(server)
    const path = `/v1/settings/projects/${project.id}`
    for (const condition of ['*', '"x"']) {
      const request = { headers: { 'If-Match': condition }, key: server.keys.bob }
      expectProblem(await server.request('DELETE', path, request), 'not_found')
      expectProblem(await server.request('PUT', path, { ...request, json: { name: 'a' } }), 'not_found')
      expectProblem(await server.request('DELETE', `/v1/settings/projects?project_id=${project.id}`, request), 'not_found')
    }
  })

  it('can delete a project by the query parameter project_id', async () => {
    const { project } = await createFlow(server)
    const { etag } = await read(`/v1/settings/projects/${project.id}`)
    const byQuery = (ifMatch: string) =>
      server.request('DELETE', `/v1/settings/projects?project_id=${project.id}`, { headers: { 'If-Match': ifMatch } })
    expectProblem(await byQuery('"stale"'), 'etag_mismatch')
    expect((await byQuery(etag)).status).toBe(204)
  })
})
