import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { scopes } from '@flowpost/contract'
import { describe, expect, it } from 'vitest'
import { provisionLock } from '../src/features/api-keys/provision-keys.ts'
import { createKey, createProject, statusWith } from './support/api-keys.ts'
import { onDatabase } from './support/direct-database.ts'
import { revokeAsOperator } from './support/revoke-as-operator.ts'
import { createTestDatabase } from './support/test-database.ts'
import { startTestServer, type TestServer } from './support/test-server.ts'

const createToken = () => `fp_${randomBytes(24).toString('base64url')}`

/** A free port with nobody listening on it. */
const freePort = async (): Promise<number> => {
  const { port, [Symbol.asyncDispose]: close } = await occupyPort()
  await close()
  return port
}

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

/** Resolves when connections to the port are taken. */
const portAnswers = async (port: number): Promise<void> => {
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

/** The status of the first answer; connections that are refused are tried again. */
const firstStatus = async (url: string, token: string): Promise<number> => {
  for (;;) {
    const answer = await fetch(url, { headers: { authorization: `Bearer ${token}` } }).catch(() => undefined)
    if (answer) return answer.status
    await sleep(1)
  }
}

/** Stops a server and starts it again with other bootstrap keys. */
const restart = async (server: TestServer, keys: Readonly<Record<string, string>>): Promise<TestServer> => {
  await server.stop()
  const listed = Object.entries(keys).map(([token, user]) => `${user}:${token}`)
  return server.restart({ env: { FLOWPOST_BOOTSTRAP_KEYS: listed.join(',') } })
}

describe('the keys of FLOWPOST_BOOTSTRAP_KEYS', () => {
  it('have all scopes and stay the same over restarts', async () => {
    await using server = await startTestServer()
    const before = (await server.request('GET', '/v1/settings/api-keys')).json
    await using next = await restart(server, { [server.keys.alice]: 'alice' })

    expect(before.data).toMatchObject([{ name: 'bootstrap', scopes, project_id: null, expires_at: null }])
    expect((await next.request('GET', '/v1/settings/api-keys')).json.data).toMatchObject([{ id: before.data[0].id }])
  })

  it('are revoked at the next start when they are no longer listed; the keys made with them stay valid', async () => {
    await using server = await startTestServer()
    const child = await createKey(server)
    const grandchild = await createKey(server, {}, child.key)
    const revoked = await createKey(server)
    await server.request('DELETE', `/v1/settings/api-keys/${revoked.id}`)
    await using next = await restart(server, { [server.keys.bob]: 'bob' })

    const keys = [server.keys.alice, child.key, grandchild.key, revoked.key, server.keys.bob]
    expect(await Promise.all(keys.map((key) => statusWith(next, key)))).toEqual([401, 200, 200, 401, 200])
    await next.request('DELETE', `/v1/settings/api-keys/${child.id}`, { key: child.key })
    expect(await statusWith(next, grandchild.key)).toBe(401)
  })

  it('are left alone by a start without a list', async () => {
    await using server = await startTestServer()
    const child = await createKey(server)
    await server.stop()
    await using next = await server.restart({ env: { FLOWPOST_BOOTSTRAP_KEYS: '' } })

    const keys = [server.keys.alice, child.key, server.keys.bob]
    expect(await Promise.all(keys.map((key) => statusWith(next, key)))).toEqual([200, 200, 200])
    expect(next.firstKey).toBeUndefined()
  })

  it('are all revoked by the list "none", and no first key is made in their place', async () => {
    await using server = await startTestServer()
    await server.stop()
    await using next = await server.restart({ env: { FLOWPOST_BOOTSTRAP_KEYS: 'none' } })

    expect(await Promise.all([server.keys.alice, server.keys.bob].map((key) => statusWith(next, key)))).toEqual([401, 401])
    expect(next.firstKey).toBeUndefined()
  })

  it('are left alone by a start that fails', async () => {
    await using server = await startTestServer()
    await server.stop()
    await using taken = await occupyPort()
    const env = { PORT: String(taken.port), FLOWPOST_BOOTSTRAP_KEYS: `bob:${server.keys.bob}` }
    await expect(server.restart({ env })).rejects.toThrow('EADDRINUSE')
    await using next = await server.restart({ env: { FLOWPOST_BOOTSTRAP_KEYS: '' } })

    expect(await statusWith(next, server.keys.alice)).toBe(200)
  })

  it('work again when they are listed again', async () => {
    await using server = await startTestServer()
    await using without = await restart(server, { [server.keys.bob]: 'bob' })
    await using again = await restart(without, { [server.keys.alice]: 'alice' })

    expect(await statusWith(again, server.keys.alice)).toBe(200)
  })

  it('cannot be revoked by request, not even by themselves', async () => {
    await using server = await startTestServer()
    const { id } = (await server.request('GET', '/v1/settings/api-keys')).json.data[0]
    const everything = await createKey(server)
    const answers = await Promise.all(
      [server.keys.alice, everything.key].map((key) => server.request('DELETE', `/v1/settings/api-keys/${id}`, { key })),
    )

    expect(answers.map(({ status, json }) => [status, json.code])).toEqual([
      [403, 'scope_missing'],
      [403, 'scope_missing'],
    ])
    expect(answers[0]?.headers.get('www-authenticate')).toContain('insufficient_scope')
    expect(await statusWith(server, server.keys.alice)).toBe(200)
  })

  it('may be ordinary keys of before, which then have all scopes, no project and no end', async () => {
    await using server = await startTestServer()
    const project_id = await createProject(server, 'billing')
    const expires_at = new Date(Date.now() + 3_600_000).toISOString()
    const ordinary = await createKey(server, { scopes: ['settings:read', 'keys:write'], project_id, expires_at })
    const child = await createKey(server, {}, ordinary.key)
    await using next = await restart(server, { [ordinary.key]: 'alice' })
    const { json } = await next.request('GET', '/v1/settings/api-keys', { key: ordinary.key })

    expect(json.data.find(({ id }: { id: string }) => id === ordinary.id)).toMatchObject({ scopes, project_id: null, expires_at: null })
    // The key that it was made with is no longer listed; it is its own now, and what it made is too.
    expect(await statusWith(next, child.key)).toBe(200)
    expect(await statusWith(next, server.keys.alice)).toBe(401)
  })

  it('may move to another user; the keys made with them stay with the first', async () => {
    await using server = await startTestServer()
    await createProject(server, "alice's")
    const child = await createKey(server)
    await using next = await restart(server, { [server.keys.alice]: 'carol' })

    expect((await next.request('GET', '/v1/settings/projects')).json.data).toEqual([])
    expect((await next.request('GET', '/v1/settings/projects', { key: child.key })).json.data).toMatchObject([{ name: "alice's" }])
  })

  it('stay revoked when the operator has revoked them, and the log says so', async () => {
    await using server = await startTestServer()
    const { json } = await server.request('GET', '/v1/settings/api-keys')
    await server.stop()
    await revokeAsOperator(server.database, json.data[0].id)
    await using next = await restart(server, { [server.keys.alice]: 'alice', [server.keys.bob]: 'bob' })

    expect(await statusWith(next, server.keys.alice)).toBe(401)
    expect(await statusWith(next, server.keys.bob)).toBe(200)
    expect(next.logged.join('')).toContain('has been revoked and stays revoked')
  })

  it('are made once by servers that start at the same time', async () => {
    await using server = await startTestServer()
    if (server.database.url === undefined) return
    const token = createToken()
    const env = { FLOWPOST_BOOTSTRAP_KEYS: `alice:${server.keys.alice},alice:${token}` }
    const servers = await Promise.all([server.restart({ env }), server.restart({ env }), server.restart({ env })])
    const { json } = await server.request('GET', '/v1/settings/api-keys', { key: token })
    await Promise.all(servers.map((each) => each.stop()))

    expect(json.data).toHaveLength(2)
  })

  it('say nothing to a worker, which serves no one', async () => {
    await using server = await startTestServer()
    if (server.database.url === undefined) return
    const worker = await server.restart({ env: { FLOWPOST_ROLE: 'worker', FLOWPOST_BOOTSTRAP_KEYS: '' } })
    await worker.stop()

    expect(await statusWith(server, server.keys.alice)).toBe(200)
  })
})

describe('a request that comes while the keys are being made', () => {
  it('is answered once they are', async () => {
    const database = await createTestDatabase()
    // Only a database with room for another connection can keep the keys from being made.
    if (database.url === undefined) return database.remove()
    const token = createToken()
    const port = await freePort()
    const env = { PORT: String(port), FLOWPOST_BOOTSTRAP_KEYS: `alice:${token}` }
    const { starting, status } = await onDatabase(database, async (query) => {
      await query('select pg_advisory_lock($1::bigint)', [provisionLock])
      const starting = startTestServer({ database, env })
      const status = firstStatus(`http://127.0.0.1:${port}/v1/settings/projects`, token)
      expect(await Promise.race([status, portAnswers(port).then(() => sleep(200, 'no answer yet'))])).toBe('no answer yet')
      return { starting, status }
    })
    await using _server = await starting

    expect(await status).toBe(200)
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
    await using next = await server.restart(none)

    expect(made).toMatchObject({ name: 'first key', scopes })
    expect(next.firstKey).toBeUndefined()
    expect(await statusWith(next, first)).toBe(401)
  })
})
