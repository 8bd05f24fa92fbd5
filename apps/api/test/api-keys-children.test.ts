import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createKey, createProject, statusForKey } from './support/api-keys.ts'
import { startTestServer, type TestServer } from './support/test-server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server[Symbol.asyncDispose]())

const path = '/v1/settings/api-keys'

const inMinutes = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString()

describe('a child key', () => {
  it("has its parent's scopes, project and expiry by default", async () => {
    const project_id = await createProject(server, 'inherited')
    const parent = await createKey(server, { scopes: ['settings:read', 'keys:write'], project_id, expires_at: inMinutes(10) })
    const child = await createKey(server, {}, parent.key)

    expect(child).toMatchObject({ scopes: parent.scopes, project_id, expires_at: parent.expires_at })
  })

  it('can have fewer scopes and an earlier expiry than its parent', async () => {
    const parent = await createKey(server, { expires_at: inMinutes(10) })
    const expires_at = inMinutes(5)
    const child = await createKey(server, { scopes: ['notifications:send'], expires_at }, parent.key)

    expect(child).toMatchObject({ scopes: ['notifications:send'], expires_at })
  })

  it('is rejected with an error for each additional scope and for a later expiry', async () => {
    const parent = await createKey(server, { scopes: ['settings:read', 'keys:write'], expires_at: inMinutes(10) })
    const json = {
      name: 'x'.repeat(256),
      scopes: ['settings:write', 'settings:read', 'notifications:send'],
      expires_at: inMinutes(11),
    }
    const response = await server.request('POST', path, { key: parent.key, json })

    expect(response.status).toBe(422)
    expect(response.json.errors.map(({ pointer }: { pointer: string }) => pointer)).toEqual([
      '/name',
      '/scopes/0',
      '/scopes/2',
      '/expires_at',
    ])
  })

  it('can expire in the same millisecond as its parent, but not later', async () => {
    const expires_at = inMinutes(10)
    const parent = await createKey(server, { expires_at })
    const later = new Date(Date.parse(expires_at) + 1).toISOString()

    expect((await createKey(server, { expires_at }, parent.key)).expires_at).toBe(expires_at)
    expect((await server.request('POST', path, { key: parent.key, json: { name: 'x', expires_at: later } })).status).toBe(422)
  })

  it("is bound to its parent's project", async () => {
    const project_id = await createProject(server, 'bound')
    const otherProject = await createProject(server, 'other')
    const parent = await createKey(server, { project_id })

    expect((await createKey(server, { project_id }, parent.key)).project_id).toBe(project_id)
    expect((await server.request('POST', path, { key: parent.key, json: { name: 'x', project_id: otherProject } })).status).toBe(404)
    expect((await server.request('POST', path, { key: parent.key, json: { name: 'x', project_id: null } })).status).toBe(422)
  })

  it('cannot be created without keys:write', async () => {
    const parent = await createKey(server, { scopes: ['settings:read', 'settings:write'] })

    expect((await server.request('POST', path, { key: parent.key, json: { name: 'x' } })).json.code).toBe('scope_missing')
  })

  it("is revoked together with its parent and all of the parent's descendants, while the parent's siblings stay valid", async () => {
    const parent = await createKey(server)
    const child = await createKey(server, {}, parent.key)
    const grandchild = await createKey(server, {}, child.key)
    const sibling = await createKey(server)
    await server.request('DELETE', `${path}/${parent.id}`)

    const statuses = await Promise.all([parent, child, grandchild, sibling].map(({ key }) => statusForKey(server, key)))
    expect(statuses).toEqual([401, 401, 401, 200])
  })

  it('is not valid when it is created while its parent is being revoked', async () => {
    for (let round = 0; round < 10; round += 1) {
      const parent = await createKey(server)
      const middle = await createKey(server, {}, parent.key)
      const creations = Array.from({ length: 4 }, (_, index) =>
        server.request('POST', path, { key: index % 2 === 0 ? parent.key : middle.key, json: { name: 'late' } }),
      )
      const [, ...responses] = await Promise.all([server.request('DELETE', `${path}/${parent.id}`), ...creations])
      const created = responses.filter(({ status }) => status === 201).map(({ json }) => json.key)

      expect(responses.every(({ status }) => status === 201 || status === 401)).toBe(true)
      expect(await Promise.all(created.map((key) => statusForKey(server, key)))).toEqual(created.map(() => 401))
    }
  })
})

describe('a key bound to a project', () => {
  it('lists and revokes only keys of its project', async () => {
    const project_id = await createProject(server, 'with two keys')
    const bound = await createKey(server, { project_id })
    const sibling = await createKey(server, { project_id })
    const unbound = await createKey(server)
    const { json } = await server.request('GET', path, { key: bound.key })

    expect(json.data.map(({ id }: { id: string }) => id)).toEqual([bound.id, sibling.id])
    expect((await server.request('DELETE', `${path}/${unbound.id}`, { key: bound.key })).status).toBe(404)
    expect((await server.request('DELETE', `${path}/${sibling.id}`, { key: bound.key })).status).toBe(204)
    expect(await statusForKey(server, unbound.key)).toBe(200)
  })

  it('is revoked when its project is deleted', async () => {
    const project_id = await createProject(server, 'to be deleted')
    const bound = await createKey(server, { project_id })
    const child = await createKey(server, {}, bound.key)
    expect((await server.request('DELETE', `/v1/settings/projects/${project_id}`)).status).toBe(204)

    expect(await Promise.all([bound, child].map(({ key }) => statusForKey(server, key)))).toEqual([401, 401])
  })

  it('is rejected or revoked when it is created while its project is being deleted', async () => {
    for (let round = 0; round < 5; round += 1) {
      const project_id = await createProject(server, `racing ${round}`)
      const bound = await createKey(server, { project_id })
      const [deleted, ...responses] = await Promise.all([
        server.request('DELETE', `/v1/settings/projects/${project_id}`),
        server.request('POST', path, { json: { name: 'late', project_id } }),
        server.request('POST', path, { json: { name: 'late' }, key: bound.key }),
      ])

      expect(deleted?.status).toBe(204)
      for (const response of responses) {
        expect([201, 401, 404]).toContain(response.status)
        if (response.status === 201) expect(await statusForKey(server, response.json.key)).toBe(401)
      }
    }
  })
})
