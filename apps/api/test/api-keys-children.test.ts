import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createKey, createProject, statusWith } from './support/api-keys.ts'
import { startTestServer, type TestServer } from './support/test-server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server[Symbol.asyncDispose]())

const path = '/v1/settings/api-keys'

const inMinutes = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString()

describe('a key that is made with another key', () => {
  it('has the scopes, the project and the expiry of that key by default', async () => {
    const project_id = await createProject(server, 'inherited')
    const parent = await createKey(server, { scopes: ['settings:read', 'keys:write'], project_id, expires_at: inMinutes(10) })
    const child = await createKey(server, {}, parent.key)

    expect(child).toMatchObject({ scopes: parent.scopes, project_id, expires_at: parent.expires_at })
  })

  it('may have less', async () => {
    const parent = await createKey(server, { expires_at: inMinutes(10) })
    const expires_at = inMinutes(5)
    const child = await createKey(server, { scopes: ['notifications:send'], expires_at }, parent.key)

    expect(child).toMatchObject({ scopes: ['notifications:send'], expires_at })
  })

  it('may not have more: every scope too many and a later expiry are faults', async () => {
    const parent = await createKey(server, { scopes: ['settings:read', 'keys:write'], expires_at: inMinutes(10) })
    const json = {
      name: 'x'.repeat(256),
      scopes: ['settings:write', 'settings:read', 'notifications:send'],
      expires_at: inMinutes(11),
    }
    const answer = await server.request('POST', path, { key: parent.key, json })

    expect(answer.status).toBe(422)
    expect(answer.json.errors.map(({ pointer }: { pointer: string }) => pointer)).toEqual([
      '/name',
      '/scopes/0',
      '/scopes/2',
      '/expires_at',
    ])
  })

  it('may end when that key ends, to the millisecond', async () => {
    const expires_at = inMinutes(10)
    const parent = await createKey(server, { expires_at })
    const later = new Date(Date.parse(expires_at) + 1).toISOString()

    expect((await createKey(server, { expires_at }, parent.key)).expires_at).toBe(expires_at)
    expect((await server.request('POST', path, { key: parent.key, json: { name: 'x', expires_at: later } })).status).toBe(422)
  })

  it('is bound to one project when that key is', async () => {
    const project_id = await createProject(server, 'bound')
    const other = await createProject(server, 'other')
    const parent = await createKey(server, { project_id })

    expect((await createKey(server, { project_id }, parent.key)).project_id).toBe(project_id)
    expect((await server.request('POST', path, { key: parent.key, json: { name: 'x', project_id: other } })).status).toBe(404)
    expect((await server.request('POST', path, { key: parent.key, json: { name: 'x', project_id: null } })).status).toBe(422)
  })

  it('cannot be made without keys:write', async () => {
    const parent = await createKey(server, { scopes: ['settings:read', 'settings:write'] })

    expect((await server.request('POST', path, { key: parent.key, json: { name: 'x' } })).json.code).toBe('scope_missing')
  })

  it('is revoked with that key, however far down, and nothing else is', async () => {
    const parent = await createKey(server)
    const child = await createKey(server, {}, parent.key)
    const grandchild = await createKey(server, {}, child.key)
    const sibling = await createKey(server)
    await server.request('DELETE', `${path}/${parent.id}`)

    const statuses = await Promise.all([parent, child, grandchild, sibling].map(({ key }) => statusWith(server, key)))
    expect(statuses).toEqual([401, 401, 401, 200])
  })

  it('is never left behind when that key is revoked at the same time', async () => {
    for (let round = 0; round < 10; round += 1) {
      const parent = await createKey(server)
      const middle = await createKey(server, {}, parent.key)
      const making = Array.from({ length: 4 }, (_, index) =>
        server.request('POST', path, { key: index % 2 === 0 ? parent.key : middle.key, json: { name: 'late' } }),
      )
      const [, ...made] = await Promise.all([server.request('DELETE', `${path}/${parent.id}`), ...making])
      const left = made.filter(({ status }) => status === 201).map(({ json }) => json.key)

      expect(made.every(({ status }) => status === 201 || status === 401)).toBe(true)
      expect(await Promise.all(left.map((key) => statusWith(server, key)))).toEqual(left.map(() => 401))
    }
  })
})

describe('a key that is bound to a project', () => {
  it('sees and revokes only the keys of that project', async () => {
    const project_id = await createProject(server, 'its own')
    const bound = await createKey(server, { project_id })
    const beside = await createKey(server, { project_id })
    const unbound = await createKey(server)
    const { json } = await server.request('GET', path, { key: bound.key })

    expect(json.data.map(({ id }: { id: string }) => id)).toEqual([bound.id, beside.id])
    expect((await server.request('DELETE', `${path}/${unbound.id}`, { key: bound.key })).status).toBe(404)
    expect((await server.request('DELETE', `${path}/${beside.id}`, { key: bound.key })).status).toBe(204)
    expect(await statusWith(server, unbound.key)).toBe(200)
  })

  it('ends with the project', async () => {
    const project_id = await createProject(server, 'to be deleted')
    const bound = await createKey(server, { project_id })
    const child = await createKey(server, {}, bound.key)
    expect((await server.request('DELETE', `/v1/settings/projects/${project_id}`)).status).toBe(204)

    expect(await Promise.all([bound, child].map(({ key }) => statusWith(server, key)))).toEqual([401, 401])
  })

  it('is not made while the project is deleted: either both are gone or the request is refused', async () => {
    for (let round = 0; round < 5; round += 1) {
      const project_id = await createProject(server, `racing ${round}`)
      const bound = await createKey(server, { project_id })
      const [deleted, ...made] = await Promise.all([
        server.request('DELETE', `/v1/settings/projects/${project_id}`),
        server.request('POST', path, { json: { name: 'late', project_id } }),
        server.request('POST', path, { json: { name: 'late' }, key: bound.key }),
      ])

      expect(deleted?.status).toBe(204)
      for (const answer of made) {
        expect([201, 401, 404]).toContain(answer.status)
        if (answer.status === 201) expect(await statusWith(server, answer.json.key)).toBe(401)
      }
    }
  })
})
