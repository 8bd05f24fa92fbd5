import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { scopes } from '@flowpost/contract'
import { describe, expect, inject, it } from 'vitest'
import { provisionLock } from '../src/features/api-keys/provision-keys.ts'
import { createKey, createProject, statusForKey } from './support/api-keys.ts'
import { onDatabase } from './support/direct-database.ts'
import { freePort } from './support/private-postgres.ts'
import { revokeAsOperator } from './support/revoke-as-operator.ts'
import { createTestDatabase } from './support/test-database.ts'
import { startTestServer, type TestServer } from './support/test-server.ts'

const createToken = () => `fp_${randomBytes(24).toString('base64url')}`

const occupyPort = async (): Promise<{ port: number } & AsyncDisposable> => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    [Symbol.asyncDispose]: async () => {
      server.close()
      await once(server, 'close')
    },
  }
}

/** Resolves when the port accepts connections. */
const waitForPort = async (port: number): Promise<void> => {
  for (;;) {
    const socket = connect(port, '127.0.0.1')
    const isOpen = await once(socket, 'connect').then(
      () => true,
      () => false,
    )
    socket.destroy()
    if (isOpen) return
    await sleep(5)
  }
}

/** Repeats a request until a connection succeeds, and returns the status of the response. */
const firstStatus = async (url: string, token: string): Promise<number> => {
  for (;;) {
    const response = await fetch(url, { headers: { authorization: `Bearer ${token}` } }).catch(() => undefined)
    if (response) return response.status
    await sleep(1)
  }
}

/** Restarts a server with different bootstrap keys. */
const restart = async (server: TestServer, keys: Readonly<Record<string, string>>): Promise<TestServer> => {
  await server.stop()
  const listed = Object.entries(keys).map(([token, user]) => `${user}:${token}`)
  return server.restart({ env: { FLOWPOST_BOOTSTRAP_KEYS: listed.join(',') } })
}

describe('FLOWPOST_BOOTSTRAP_KEYS', () => {
  it('creates keys with all scopes, and leaves them unchanged after a restart', async () => {
    await using server = await startTestServer()
    const before = (await server.request('GET', '/v1/settings/api-keys')).json
    await using next = await restart(server, { [server.keys.alice]: 'alice' })

    expect(before.data).toMatchObject([{ name: 'bootstrap', scopes, project_id: null, expires_at: null }])
    expect((await next.request('GET', '/v1/settings/api-keys')).json.data).toMatchObject([{ id: before.data[0].id }])
  })

  it('revokes keys that are no longer listed, but not their child keys', async () => {
    await using server = await startTestServer()
    const child = await createKey(server)
    const grandchild = await createKey(server, {}, child.key)
    const revoked = await createKey(server)
    await server.request('DELETE', `/v1/settings/api-keys/${revoked.id}`)
    await using next = await restart(server, { [server.keys.bob]: 'bob' })

    const keys = [server.keys.alice, child.key, grandchild.key, revoked.key, server.keys.bob]
    expect(await Promise.all(keys.map((key) => statusForKey(next, key)))).toEqual([401, 200, 200, 401, 200])
    await next.request('DELETE', `/v1/settings/api-keys/${child.id}`, { key: child.key })
    expect(await statusForKey(next, grandchild.key)).toBe(401)
  })

  it('changes no key when it is empty', async () => {
    await using server = await startTestServer()
    const child = await createKey(server)
    await server.stop()
    await using next = await server.restart({ env: { FLOWPOST_BOOTSTRAP_KEYS: '' } })

    const keys = [server.keys.alice, child.key, server.keys.bob]
    expect(await Promise.all(keys.map((key) => statusForKey(next, key)))).toEqual([200, 200, 200])
    expect(next.firstKey).toBeUndefined()
  })

  it('revokes all bootstrap keys and creates no first key when it is "none"', async () => {
    await using server = await startTestServer()
    await server.stop()
    await using next = await server.restart({ env: { FLOWPOST_BOOTSTRAP_KEYS: 'none' } })

    expect(await Promise.all([server.keys.alice, server.keys.bob].map((key) => statusForKey(next, key)))).toEqual([401, 401])
    expect(next.firstKey).toBeUndefined()
  })

  it('changes no key when the start fails', async () => {
    await using server = await startTestServer()
    await server.stop()
    await using taken = await occupyPort()
    const env = { PORT: String(taken.port), FLOWPOST_BOOTSTRAP_KEYS: `bob:${server.keys.bob}` }
    await expect(server.restart({ env })).rejects.toThrow('EADDRINUSE')
    await using next = await server.restart({ env: { FLOWPOST_BOOTSTRAP_KEYS: '' } })

    expect(await statusForKey(next, server.keys.alice)).toBe(200)
  })

  it('restores a revoked key that is listed again', async () => {
    await using server = await startTestServer()
    await using without = await restart(server, { [server.keys.bob]: 'bob' })
    await using again = await restart(without, { [server.keys.alice]: 'alice' })

    expect(await statusForKey(again, server.keys.alice)).toBe(200)
  })

  it('creates keys that cannot be revoked by a request', async () => {
    await using server = await startTestServer()
    const { id } = (await server.request('GET', '/v1/settings/api-keys')).json.data[0]
    const child = await createKey(server)
    const responses = await Promise.all(
      [server.keys.alice, child.key].map((key) => server.request('DELETE', `/v1/settings/api-keys/${id}`, { key })),
    )

    expect(responses.map(({ status, json }) => [status, json.code])).toEqual([
      [403, 'scope_missing'],
      [403, 'scope_missing'],
    ])
    expect(responses[0]?.headers.get('www-authenticate')).toContain('insufficient_scope')
    expect(await statusForKey(server, server.keys.alice)).toBe(200)
  })

  it('turns an ordinary key that is listed into a key with all scopes and without project, expiry or parent', async () => {
    await using server = await startTestServer()
    const project_id = await createProject(server, 'billing')
    const expires_at = new Date(Date.now() + 3_600_000).toISOString()
    const ordinary = await createKey(server, { scopes: ['settings:read', 'keys:write'], project_id, expires_at })
    const child = await createKey(server, {}, ordinary.key)
    await using next = await restart(server, { [ordinary.key]: 'alice' })
    const { json } = await next.request('GET', '/v1/settings/api-keys', { key: ordinary.key })

    expect(json.data.find(({ id }: { id: string }) => id === ordinary.id)).toMatchObject({ scopes, project_id: null, expires_at: null })
    // A key that becomes a bootstrap key no longer has a parent, so revoking the key that created it affects neither it nor its
    // child key.
    expect(await statusForKey(next, child.key)).toBe(200)
    expect(await statusForKey(next, server.keys.alice)).toBe(401)
  })

  it('moves a key to another user, but not its child keys', async () => {
    await using server = await startTestServer()
    await createProject(server, "alice's")
    const child = await createKey(server)
    await using next = await restart(server, { [server.keys.alice]: 'carol' })

    expect((await next.request('GET', '/v1/settings/projects')).json.data).toEqual([])
    expect((await next.request('GET', '/v1/settings/projects', { key: child.key })).json.data).toMatchObject([{ name: "alice's" }])
  })

  it('does not restore a key that an operator has revoked, and logs the reason', async () => {
    await using server = await startTestServer({ database: await createTestDatabase() })
    const { json } = await server.request('GET', '/v1/settings/api-keys')
    await server.stop()
    await revokeAsOperator(server.database, json.data[0].id)
    await using next = await restart(server, { [server.keys.alice]: 'alice', [server.keys.bob]: 'bob' })

    expect(await statusForKey(next, server.keys.alice)).toBe(401)
    expect(await statusForKey(next, server.keys.bob)).toBe(200)
    expect(next.logged.join('')).toContain('was revoked earlier and remains revoked')
  })

  it.runIf(inject('postgres'))('creates a key once when several servers start together', async () => {
    await using server = await startTestServer()
    const token = createToken()
    const env = { FLOWPOST_BOOTSTRAP_KEYS: `alice:${server.keys.alice},alice:${token}` }
    const servers = await Promise.all([server.restart({ env }), server.restart({ env }), server.restart({ env })])
    const { json } = await server.request('GET', '/v1/settings/api-keys', { key: token })
    await Promise.all(servers.map((started) => started.stop()))

    expect(json.data).toHaveLength(2)
  })

  it.runIf(inject('postgres'))('is ignored by workers', async () => {
    await using server = await startTestServer()
    const worker = await server.restart({ env: { FLOWPOST_ROLE: 'worker', FLOWPOST_BOOTSTRAP_KEYS: '' } })
    await worker.stop()

    expect(await statusForKey(server, server.keys.alice)).toBe(200)
  })

  // The test blocks the creation of keys through another connection, which the embedded database does not have.
  it.runIf(inject('postgres'))('delays requests until the keys are created', async () => {
    const database = await createTestDatabase()
    const token = createToken()
    const port = await freePort()
    const env = { PORT: String(port), FLOWPOST_BOOTSTRAP_KEYS: `alice:${token}` }
    const { starting, status } = await onDatabase(database, async (query) => {
      await query('select pg_advisory_lock($1::bigint)', [provisionLock])
      const starting = startTestServer({ database, env })
      const status = firstStatus(`http://127.0.0.1:${port}/v1/settings/projects`, token)
      expect(await Promise.race([status, waitForPort(port).then(() => sleep(200, 'no response yet'))])).toBe('no response yet')
      return { starting, status }
    })
    await using _server = await starting

    expect(await status).toBe(200)
  })

  it('creates one key for the user "local" when it is empty at the first start, on the embedded database only', async () => {
    const withoutKeys = { env: { FLOWPOST_BOOTSTRAP_KEYS: '' } }
    await using server = await startTestServer(withoutKeys)
    if (server.database.url !== undefined) {
      expect(server.firstKey).toBeUndefined()
      return
    }
    const firstKey = server.firstKey ?? ''
    const [listed] = (await server.request('GET', '/v1/settings/api-keys', { key: firstKey })).json.data
    await server.request('DELETE', `/v1/settings/api-keys/${listed.id}`, { key: firstKey })
    await server.stop()
    await using next = await server.restart(withoutKeys)

    expect(listed).toMatchObject({ name: 'first key', scopes })
    expect(next.firstKey).toBeUndefined()
    expect(await statusForKey(next, firstKey)).toBe(401)
  })
})
