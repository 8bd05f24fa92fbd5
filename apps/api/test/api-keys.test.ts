import { scopes } from '@flowpost/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createKey, createProject, statusForKey } from './support/api-keys.ts'
import { startTestServer, type TestServer } from './support/test-server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server[Symbol.asyncDispose]())

const path = '/v1/settings/api-keys'
const unknownId = 'key_01jdv3k2m8f6wbn0q4z5t7x9ya'

const listKeys = async (key?: string, query = '') => (await server.request('GET', path + query, key === undefined ? {} : { key })).json

describe('POST /v1/settings/api-keys', () => {
  it('creates a key that works at once, and shows it in this response only', async () => {
    const response = await server.request('POST', path, { json: { name: ' billing  service ', scopes: ['settings:read', 'keys:write'] } })

    expect(response.status).toBe(201)
    expect(response.headers.get('location')).toBe(`${path}/${response.json.id}`)
    expect(response.json).toEqual({
      id: expect.stringMatching(/^key_[0-9a-z]{26}$/),
      key: expect.stringMatching(new RegExp(`^fp_${response.json.id.slice(4)}_[A-Za-z0-9_-]{43}$`)),
      name: 'billing  service',
      mode: 'live',
      scopes: ['settings:read', 'keys:write'],
      project_id: null,
      expires_at: null,
      last_used_at: null,
      created_at: expect.stringMatching(/Z$/),
    })
    expect(await statusForKey(server, response.json.key)).toBe(200)
    const list = await server.request('GET', `${path}?limit=1000`)
    expect(list.text).toContain(response.json.id)
    expect(list.text).not.toContain(response.json.key)
    expect(server.logged.join('')).not.toContain(response.json.key)
  })

  it("creates a key with all of the credential's scopes by default", async () => {
    const { scopes: granted } = await createKey(server)

    expect(granted).toEqual(scopes)
  })

  it('returns each scope once, in the order of the contract', async () => {
    const { scopes: granted } = await createKey(server, { scopes: ['notifications:read', 'settings:read', 'notifications:read'] })

    expect(granted).toEqual(['settings:read', 'notifications:read'])
  })

  it('accepts an expiry with any UTC offset, and rejects the key from that time on', async () => {
    let now = new Date()
    await using isolated = await startTestServer({ clock: { now: () => now } })
    const inAnHour = new Date(now.getTime() + 3_600_000)
    const { key, expires_at } = await createKey(isolated, { expires_at: inAnHour.toISOString().replace('Z', '+00:00') })

    expect(expires_at).toBe(inAnHour.toISOString())
    now = new Date(inAnHour.getTime() - 1)
    expect(await statusForKey(isolated, key)).toBe(200)
    now = inAnHour
    expect(await statusForKey(isolated, key)).toBe(401)
  })

  it.each([
    [{}, [['/name', 'required']]],
    [{ name: '' }, [['/name', 'too_short']]],
    [{ name: 'a\nb' }, [['/name', 'invalid_text']]],
    [{ name: 'x', scopes: [] }, [['/scopes', 'too_short']]],
    [{ name: 'x', scopes: ['everything'] }, [['/scopes/0', 'invalid_value']]],
    [{ name: 'x', expires_at: 'tomorrow' }, [['/expires_at', 'invalid_value']]],
    [{ name: 'x', expires_at: '2020-01-01T00:00:00Z' }, [['/expires_at', 'invalid_value']]],
    [{ name: 'x', project_id: null }, [['/project_id', 'invalid_type']]],
    [{ name: 'x', key: 'fp_mine' }, [['/key', 'unknown_field']]],
    [
      { name: '', expires_at: '2020-01-01T00:00:00Z' },
      [
        ['/name', 'too_short'],
        ['/expires_at', 'invalid_value'],
      ],
    ],
  ])('returns 422 with every error for %j', async (json, errors) => {
    const response = await server.request('POST', path, { json })

    expect(response.status).toBe(422)
    expect(response.json.errors.map(({ pointer, code }: { pointer: string; code: string }) => [pointer, code])).toEqual(errors)
  })

  it.each(['prj_01jdv3k2m8f6wbn0q4z5t7x9ya', 'prj_x', ''])('returns 404 for the unknown project %j', async (project_id) => {
    const response = await server.request('POST', path, { json: { name: 'x', project_id } })

    expect([response.status, response.json.code]).toEqual([404, 'not_found'])
  })

  it("returns 404 for another user's project", async () => {
    const project_id = await createProject(server, "bob's", server.keys.bob)
    const response = await server.request('POST', path, { json: { name: 'x', project_id } })

    expect(response.status).toBe(404)
  })
})

describe('POST /v1/settings/api-keys with an Idempotency-Key', () => {
  const post = (json: object, key: string) => server.request('POST', path, { json, headers: { 'Idempotency-Key': key } })
  const keysNamed = async (name: string) =>
    (await listKeys(undefined, '?limit=1000')).data.filter((key: { name: string }) => key.name === name)

  it('creates one key, and returns 409 without the secret when it is replayed', async () => {
    const first = await post({ name: 'once' }, 'create-once')
    const second = await post({ name: 'once' }, 'create-once')

    expect(first.status).toBe(201)
    expect([second.status, second.json.code]).toEqual([409, 'idempotency_not_replayable'])
    expect(second.headers.get('location')).toBe(`${path}/${first.json.id}`)
    expect(second.text).not.toContain('fp_')
    expect(await keysNamed('once')).toHaveLength(1)
  })

  it('returns 422 when it is reused with another body', async () => {
    await post({ name: 'a' }, 'create-other')
    const reused = await post({ name: 'b' }, 'create-other')

    expect([reused.status, reused.json.code]).toEqual([422, 'idempotency_key_reused'])
  })

  it('can be used again after a rejected request', async () => {
    const rejected = await post({ name: 'freed', project_id: 'prj_01jdv3k2m8f6wbn0q4z5t7x9ya' }, 'create-freed')
    const created = await post({ name: 'freed' }, 'create-freed')

    expect([rejected.status, created.status]).toEqual([404, 201])
  })

  it('creates one key for concurrent requests', async () => {
    const responses = await Promise.all(Array.from({ length: 8 }, () => post({ name: 'storm' }, 'create-storm')))

    expect(responses.filter(({ status }) => status === 201)).toHaveLength(1)
    expect(responses.filter(({ status }) => status === 409)).toHaveLength(7)
    expect(await keysNamed('storm')).toHaveLength(1)
  })
})

describe('GET /v1/settings/api-keys', () => {
  it("lists the user's valid keys in pages, oldest first", async () => {
    await using isolated = await startTestServer()
    const created = [
      await createKey(isolated, { name: 'one' }),
      await createKey(isolated, { name: 'two' }),
      await createKey(isolated, { name: 'three' }),
    ]
    await isolated.request('DELETE', `${path}/${created[1]?.id}`)
    const names: string[] = []
    let cursor = ''
    do {
      const page = (await isolated.request('GET', `${path}?limit=1${cursor}`)).json
      names.push(...page.data.map(({ name }: { name: string }) => name))
      cursor = page.next_cursor === null ? '' : `&cursor=${page.next_cursor}`
    } while (cursor !== '')

    expect(names).toEqual(['bootstrap', 'one', 'three'])
    const ofBob = (await isolated.request('GET', path, { key: isolated.keys.bob })).json
    expect(ofBob.data.map(({ name }: { name: string }) => name)).toEqual(['bootstrap'])
  })

  it('returns 400 for a cursor from another list', async () => {
    await createProject(server, 'one project')
    await createProject(server, 'another project')
    const { json } = await server.request('GET', '/v1/settings/projects?limit=1')
    const response = await server.request('GET', `${path}?cursor=${json.next_cursor}`)

    expect([response.status, response.json.code]).toEqual([400, 'invalid_cursor'])
  })
})

describe('DELETE /v1/settings/api-keys/{key_id}', () => {
  it('revokes a key at once', async () => {
    const { id, key } = await createKey(server)
    expect(await statusForKey(server, key)).toBe(200)
    const response = await server.request('DELETE', `${path}/${id}`)

    expect([response.status, response.text]).toEqual([204, ''])
    expect(await statusForKey(server, key)).toBe(401)
    expect((await listKeys(undefined, '?limit=1000')).data.map((listed: { id: string }) => listed.id)).not.toContain(id)
  })

  it('lets a key revoke itself', async () => {
    const { id, key } = await createKey(server, { scopes: ['keys:write', 'settings:read'] })

    expect((await server.request('DELETE', `${path}/${id}`, { key })).status).toBe(204)
    expect(await statusForKey(server, key)).toBe(401)
  })

  it('returns 403 when a key would revoke its parent, or a key with more scopes or a later expiry', async () => {
    const expires_at = new Date(Date.now() + 3_600_000).toISOString()
    const parent = await createKey(server)
    const limited = await createKey(server, { scopes: ['keys:write'] }, parent.key)
    const short = await createKey(server, { expires_at })
    const reader = await createKey(server, { scopes: ['settings:read'] })
    const attempts = [
      [limited, parent],
      [limited, reader],
      [short, limited],
    ] as const
    const responses = await Promise.all(attempts.map(([by, { id }]) => server.request('DELETE', `${path}/${id}`, { key: by.key })))

    expect(responses.map(({ status, json }) => [status, json.code])).toEqual(attempts.map(() => [403, 'scope_missing']))
    expect(responses.map(({ json }) => json.detail)).toEqual([
      expect.stringContaining('settings:read, settings:write, notifications:send, notifications:read'),
      expect.stringContaining('settings:read'),
      expect.stringContaining('valid for longer'),
    ])
    expect(await Promise.all([parent, reader].map(({ key }) => statusForKey(server, key)))).toEqual([200, 200])
  })

  it('lets a key revoke its descendants, and other keys that have no additional scopes', async () => {
    const parent = await createKey(server, { scopes: ['keys:write', 'settings:read'] })
    const child = await createKey(server, {}, parent.key)
    const grandchild = await createKey(server, {}, child.key)
    const other = await createKey(server, { scopes: ['settings:read'] })
    const responses = []
    for (const { id } of [grandchild, other]) responses.push(await server.request('DELETE', `${path}/${id}`, { key: parent.key }))

    expect(responses.map(({ status }) => status)).toEqual([204, 204])
    expect(await Promise.all([grandchild, other, child].map(({ key }) => statusForKey(server, key)))).toEqual([401, 401, 200])
  })

  it("returns 404 for an unknown, revoked or malformed key, and for another user's key", async () => {
    const revoked = await createKey(server)
    await server.request('DELETE', `${path}/${revoked.id}`)
    const foreign = await createKey(server, {}, server.keys.bob)
    const ids = [unknownId, revoked.id, foreign.id, 'key_x', 'prj_01jdv3k2m8f6wbn0q4z5t7x9ya', '%00', '%ff']
    const responses = await Promise.all(ids.map((id) => server.request('DELETE', `${path}/${id}`)))

    expect(responses.map(({ status, json }) => [status, json.code])).toEqual(ids.map(() => [404, 'not_found']))
    expect(await statusForKey(server, foreign.key)).toBe(200)
  })
})
