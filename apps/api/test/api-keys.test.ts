import { scopes } from '@flowpost/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createKey, createProject, statusWith } from './support/api-keys.ts'
import { startTestServer, type TestServer } from './support/test-server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server[Symbol.asyncDispose]())

const path = '/v1/settings/api-keys'
const unknownId = 'key_01jdv3k2m8f6wbn0q4z5t7x9ya'

const list = async (key?: string, query = '') => (await server.request('GET', path + query, key === undefined ? {} : { key })).json

describe('POST /v1/settings/api-keys', () => {
  it('makes a key that works at once, and shows it this once', async () => {
    const answer = await server.request('POST', path, { json: { name: ' billing  service ', scopes: ['settings:read', 'keys:write'] } })

    expect(answer.status).toBe(201)
    expect(answer.headers.get('location')).toBe(`${path}/${answer.json.id}`)
    expect(answer.json).toEqual({
      id: expect.stringMatching(/^key_[0-9a-z]{26}$/),
      key: expect.stringMatching(new RegExp(`^fp_${answer.json.id.slice(4)}_[A-Za-z0-9_-]{43}$`)),
      name: 'billing  service',
      scopes: ['settings:read', 'keys:write'],
      project_id: null,
      expires_at: null,
      last_used_at: null,
      created_at: expect.stringMatching(/Z$/),
    })
    expect(await statusWith(server, answer.json.key)).toBe(200)
    const everything = await server.request('GET', `${path}?limit=1000`)
    expect(everything.text).toContain(answer.json.id)
    expect(everything.text).not.toContain(answer.json.key)
    expect(server.logged.join('')).not.toContain(answer.json.key)
  })

  it('gives all that the credential has when nothing else is asked for', async () => {
    const { scopes: given } = await createKey(server)

    expect(given).toEqual(scopes)
  })

  it('gives each scope once, in the order of the contract', async () => {
    const { scopes: given } = await createKey(server, { scopes: ['notifications:read', 'settings:read', 'notifications:read'] })

    expect(given).toEqual(['settings:read', 'notifications:read'])
  })

  it('takes an expiry with any offset, and the key ends then', async () => {
    let now = new Date()
    await using own = await startTestServer({ clock: { now: () => now } })
    const inAnHour = new Date(now.getTime() + 3_600_000)
    const { key, expires_at } = await createKey(own, { expires_at: inAnHour.toISOString().replace('Z', '+00:00') })

    expect(expires_at).toBe(inAnHour.toISOString())
    now = new Date(inAnHour.getTime() - 1)
    expect(await statusWith(own, key)).toBe(200)
    now = inAnHour
    expect(await statusWith(own, key)).toBe(401)
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
  ])('refuses %j with every fault', async (json, faults) => {
    const answer = await server.request('POST', path, { json })

    expect(answer.status).toBe(422)
    expect(answer.json.errors.map(({ pointer, code }: { pointer: string; code: string }) => [pointer, code])).toEqual(faults)
  })

  it.each(['prj_01jdv3k2m8f6wbn0q4z5t7x9ya', 'prj_x', ''])('answers 404 for the unknown project %j', async (project_id) => {
    const answer = await server.request('POST', path, { json: { name: 'x', project_id } })

    expect([answer.status, answer.json.code]).toEqual([404, 'not_found'])
  })

  it("answers 404 for another user's project", async () => {
    const project_id = await createProject(server, "bob's", server.keys.bob)
    const answer = await server.request('POST', path, { json: { name: 'x', project_id } })

    expect(answer.status).toBe(404)
  })
})

describe('POST /v1/settings/api-keys with an Idempotency-Key', () => {
  const post = (json: object, key: string) => server.request('POST', path, { json, headers: { 'Idempotency-Key': key } })
  const named = async (name: string) => (await list(undefined, '?limit=1000')).data.filter((key: { name: string }) => key.name === name)

  it('makes one key, keeps no secret, and says so to a replay', async () => {
    const first = await post({ name: 'once' }, 'make-once')
    const second = await post({ name: 'once' }, 'make-once')

    expect(first.status).toBe(201)
    expect([second.status, second.json.code]).toEqual([409, 'idempotency_not_replayable'])
    expect(second.headers.get('location')).toBe(`${path}/${first.json.id}`)
    expect(second.text).not.toContain('fp_')
    expect(await named('once')).toHaveLength(1)
  })

  it('refuses the same key with another body', async () => {
    await post({ name: 'a' }, 'make-other')
    const other = await post({ name: 'b' }, 'make-other')

    expect([other.status, other.json.code]).toEqual([422, 'idempotency_key_reused'])
  })

  it('frees the key when the request is refused', async () => {
    const refused = await post({ name: 'freed', project_id: 'prj_01jdv3k2m8f6wbn0q4z5t7x9ya' }, 'make-freed')
    const made = await post({ name: 'freed' }, 'make-freed')

    expect([refused.status, made.status]).toEqual([404, 201])
  })

  it('makes one key for many requests at once', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => post({ name: 'storm' }, 'make-storm')))

    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(7)
    expect(await named('storm')).toHaveLength(1)
  })
})

describe('GET /v1/settings/api-keys', () => {
  it('lists the keys of the user that are not revoked, oldest first, page by page', async () => {
    await using own = await startTestServer()
    const made = [await createKey(own, { name: 'one' }), await createKey(own, { name: 'two' }), await createKey(own, { name: 'three' })]
    await own.request('DELETE', `${path}/${made[1]?.id}`)
    const names: string[] = []
    let cursor = ''
    do {
      const page = (await own.request('GET', `${path}?limit=1${cursor}`)).json
      names.push(...page.data.map(({ name }: { name: string }) => name))
      cursor = page.next_cursor === null ? '' : `&cursor=${page.next_cursor}`
    } while (cursor !== '')

    expect(names).toEqual(['bootstrap', 'one', 'three'])
    const ofBob = (await own.request('GET', path, { key: own.keys.bob })).json
    expect(ofBob.data.map(({ name }: { name: string }) => name)).toEqual(['bootstrap'])
  })

  it('refuses a cursor of another list', async () => {
    await createProject(server, 'one project')
    await createProject(server, 'another project')
    const { json } = await server.request('GET', '/v1/settings/projects?limit=1')
    const answer = await server.request('GET', `${path}?cursor=${json.next_cursor}`)

    expect([answer.status, answer.json.code]).toEqual([400, 'invalid_cursor'])
  })
})

describe('DELETE /v1/settings/api-keys/{key_id}', () => {
  it('revokes a key at once, in every process', async () => {
    const { id, key } = await createKey(server)
    expect(await statusWith(server, key)).toBe(200)
    const answer = await server.request('DELETE', `${path}/${id}`)

    expect([answer.status, answer.text]).toEqual([204, ''])
    expect(await statusWith(server, key)).toBe(401)
    expect((await list(undefined, '?limit=1000')).data.map((each: { id: string }) => each.id)).not.toContain(id)
  })

  it('lets a key revoke itself', async () => {
    const { id, key } = await createKey(server, { scopes: ['keys:write', 'settings:read'] })

    expect((await server.request('DELETE', `${path}/${id}`, { key })).status).toBe(204)
    expect(await statusWith(server, key)).toBe(401)
  })

  it('does not let a limited key revoke the key that it was made with, nor a key that can do more or lasts longer', async () => {
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
    const answers = await Promise.all(attempts.map(([by, { id }]) => server.request('DELETE', `${path}/${id}`, { key: by.key })))

    expect(answers.map(({ status, json }) => [status, json.code])).toEqual(attempts.map(() => [403, 'scope_missing']))
    expect(answers.map(({ json }) => json.detail)).toEqual([
      expect.stringContaining('settings:read, settings:write, notifications:send, notifications:read'),
      expect.stringContaining('settings:read'),
      expect.stringContaining('expires later'),
    ])
    expect(await Promise.all([parent, reader].map(({ key }) => statusWith(server, key)))).toEqual([200, 200])
  })

  it('lets a key revoke those made with it, however far down, and others that can do no more', async () => {
    const parent = await createKey(server, { scopes: ['keys:write', 'settings:read'] })
    const child = await createKey(server, {}, parent.key)
    const grandchild = await createKey(server, {}, child.key)
    const beside = await createKey(server, { scopes: ['settings:read'] })
    const answers = []
    for (const { id } of [grandchild, beside]) answers.push(await server.request('DELETE', `${path}/${id}`, { key: parent.key }))

    expect(answers.map(({ status }) => status)).toEqual([204, 204])
    expect(await Promise.all([grandchild, beside, child].map(({ key }) => statusWith(server, key)))).toEqual([401, 401, 200])
  })

  it("answers 404 for what is unknown, revoked already, of no valid shape, or another user's", async () => {
    const revoked = await createKey(server)
    await server.request('DELETE', `${path}/${revoked.id}`)
    const foreign = await createKey(server, {}, server.keys.bob)
    const ids = [unknownId, revoked.id, foreign.id, 'key_x', 'prj_01jdv3k2m8f6wbn0q4z5t7x9ya', '%00', '%ff']
    const answers = await Promise.all(ids.map((id) => server.request('DELETE', `${path}/${id}`)))

    expect(answers.map(({ status, json }) => [status, json.code])).toEqual(ids.map(() => [404, 'not_found']))
    expect(await statusWith(server, foreign.key)).toBe(200)
  })
})
