import { randomBytes } from 'node:crypto'
import { scopes } from '@flowpost/contract'
import { describe, expect, it } from 'vitest'
import { makeKey, makeProject, statusWith } from './keys.ts'
import { startTestServer, type TestServer } from './test-server.ts'

const makeToken = () => `fp_${randomBytes(24).toString('base64url')}`

/** Stops a server and starts it again with other bootstrap keys. */
const restart = async (server: TestServer, keys: Readonly<Record<string, string>>): Promise<TestServer> => {
  await server.stop()
  const listed = Object.entries(keys).map(([token, user]) => `${user}:${token}`)
  return server.again({ env: { FLOWPOST_BOOTSTRAP_KEYS: listed.join(',') } })
}

describe('the keys of FLOWPOST_BOOTSTRAP_KEYS', () => {
  it('have all scopes and stay the same over restarts', async () => {
    await using server = await startTestServer()
    const before = (await server.request('GET', '/v1/settings/api-keys')).json
    await using next = await restart(server, { [server.keys.alice]: 'alice' })

    expect(before.data).toMatchObject([{ name: 'bootstrap', scopes, project_id: null, expires_at: null }])
    expect((await next.request('GET', '/v1/settings/api-keys')).json.data).toMatchObject([{ id: before.data[0].id }])
  })

  it('are revoked at the next start when they are no longer listed, with all that were made with them', async () => {
    await using server = await startTestServer()
    const child = await makeKey(server)
    const grandchild = await makeKey(server, {}, child.key)
    const ofBob = await makeKey(server, {}, server.keys.bob)
    await using next = await restart(server, { [server.keys.bob]: 'bob' })

    const keys = [server.keys.alice, child.key, grandchild.key, server.keys.bob, ofBob.key]
    expect(await Promise.all(keys.map((key) => statusWith(next, key)))).toEqual([401, 401, 401, 200, 200])
  })

  it('work again when they are listed again, without what was made with them before', async () => {
    await using server = await startTestServer()
    const child = await makeKey(server)
    await using without = await restart(server, { [server.keys.bob]: 'bob' })
    await using again = await restart(without, { [server.keys.alice]: 'alice' })

    expect(await statusWith(again, server.keys.alice)).toBe(200)
    expect(await statusWith(again, child.key)).toBe(401)
  })

  it('may be ordinary keys of before, which then have all scopes, no project and no end', async () => {
    await using server = await startTestServer()
    const project_id = await makeProject(server, 'billing')
    const expires_at = new Date(Date.now() + 3_600_000).toISOString()
    const ordinary = await makeKey(server, { scopes: ['settings:read', 'keys:write'], project_id, expires_at })
    const child = await makeKey(server, {}, ordinary.key)
    await using next = await restart(server, { [ordinary.key]: 'alice' })
    const { json } = await next.request('GET', '/v1/settings/api-keys', { key: ordinary.key })

    expect(json.data.find(({ id }: { id: string }) => id === ordinary.id)).toMatchObject({ scopes, project_id: null, expires_at: null })
    // The key that it was made with is no longer listed; it is its own now, and what it made is too.
    expect(await statusWith(next, child.key)).toBe(200)
    expect(await statusWith(next, server.keys.alice)).toBe(401)
  })

  it('may move to another user, without what they made before', async () => {
    await using server = await startTestServer()
    await makeProject(server, "alice's")
    const child = await makeKey(server)
    await using next = await restart(server, { [server.keys.alice]: 'carol' })

    expect((await next.request('GET', '/v1/settings/projects')).json.data).toEqual([])
    expect(await statusWith(next, child.key)).toBe(401)
  })

  it('stay revoked when a person has revoked them, and the log says so', async () => {
    await using server = await startTestServer()
    const { json } = await server.request('GET', '/v1/settings/api-keys')
    await server.request('DELETE', `/v1/settings/api-keys/${json.data[0].id}`)
    await using next = await restart(server, { [server.keys.alice]: 'alice', [server.keys.bob]: 'bob' })

    expect(await statusWith(next, server.keys.alice)).toBe(401)
    expect(await statusWith(next, server.keys.bob)).toBe(200)
    expect(next.logged.join('')).toContain('has been revoked and stays so')
  })

  it('are made once by servers that start at the same time', async () => {
    await using server = await startTestServer()
    if (server.database.url === undefined) return
    const token = makeToken()
    const env = { FLOWPOST_BOOTSTRAP_KEYS: `alice:${server.keys.alice},alice:${token}` }
    const servers = await Promise.all([server.again({ env }), server.again({ env }), server.again({ env })])
    const { json } = await server.request('GET', '/v1/settings/api-keys', { key: token })
    await Promise.all(servers.map((each) => each.stop()))

    expect(json.data).toHaveLength(2)
  })

  it('say nothing to a worker, which serves no one', async () => {
    await using server = await startTestServer()
    if (server.database.url === undefined) return
    const worker = await server.again({ env: { FLOWPOST_ROLE: 'worker', FLOWPOST_BOOTSTRAP_KEYS: '' } })
    await worker.stop()

    expect(await statusWith(server, server.keys.alice)).toBe(200)
  })
})

describe('the first start without FLOWPOST_BOOTSTRAP_KEYS', () => {
  it('makes a key for the user local on the embedded database, once', async () => {
    const none = { env: { FLOWPOST_BOOTSTRAP_KEYS: '' } }
    await using server = await startTestServer(none)
    if (server.database.url !== undefined) {
      expect(server.firstKey).toBeUndefined()
      return
    }
    const first = server.firstKey ?? ''
    const [made] = (await server.request('GET', '/v1/settings/api-keys', { key: first })).json.data
    await server.request('DELETE', `/v1/settings/api-keys/${made.id}`, { key: first })
    await server.stop()
    await using next = await server.again(none)

    expect(made).toMatchObject({ name: 'first key', scopes })
    expect(next.firstKey).toBeUndefined()
    expect(await statusWith(next, first)).toBe(401)
  })
})
