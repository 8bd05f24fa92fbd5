import { once } from 'node:events'
import { type IncomingMessage, request as sendHttp } from 'node:http'
import { json } from 'node:stream/consumers'
import { createFlowpost } from '@flowpost/client'
import { describe, expect, it } from 'vitest'
import { createFlowpostMock } from './mock.ts'
import { type MockServerOptions, startMockServer } from './server.ts'

const start = async (options: MockServerOptions = {}) => {
  const mock = createFlowpostMock()
  const server = await startMockServer(mock, options)
  const client = createFlowpost({ baseUrl: server.url, apiKey: mock.apiKey, random: () => 0, attemptTimeout: 200 })
  return { mock, server, client, [Symbol.asyncDispose]: () => server.close() }
}

/** Sends a request without normalizing its path. Returns the status and the parsed body. */
const sendRaw = async ({ mock, server }: Awaited<ReturnType<typeof start>>, method: string, path: string, chunked = false) => {
  const headers = { authorization: `Bearer ${mock.apiKey}`, 'content-type': 'application/json' }
  const outgoing = sendHttp(server.url, { method, path, headers: { ...headers, ...(chunked ? { 'transfer-encoding': 'chunked' } : {}) } })
  const [response] = (await once(outgoing.end(), 'response')) as [IncomingMessage]
  return { status: response.statusCode, headers: response.headers, body: (await json(response)) as { code?: string } }
}

describe('the mock server', () => {
  it('responds over HTTP', async () => {
    await using at = await start()
    const { project_id } = at.mock.seed.flow()
    const settled = await at.client.notifications.send({ project_id, subject: 'a', message: 'b' }).settled()
    expect(settled.status).toBe('sent')
    expect(at.server.url).toBe(`http://127.0.0.1:${at.server.port}`)
  })

  it('is always ready for a program that waits until it is', async () => {
    await using at = await start()
    at.mock.faults.next('*', 'networkError')
    const read = async (path: string, method = 'GET') => {
      const response = await fetch(at.server.url + path, { method })
      return [response.status, await response.text()]
    }
    expect([await read('/livez'), await read('/readyz'), await read('/livez?verbose'), await read('/readyz', 'HEAD')]).toEqual([
      [200, 'ok\n'],
      [200, 'ready\n'],
      [200, 'ok\n'],
      [200, ''],
    ])
    expect(at.mock.requests).toEqual([])
  })

  it.each([
    '/v1/x/../settings/projects',
    '/v1/./settings/projects',
    '/v1/settings/projects/%2E',
    '/v1/settings/projects/%2e%2e/projects',
    '/v1/settings/projects/.',
    '/v1\\settings\\projects?limit=1',
  ])('does not normalize the path %s', async (path) => {
    await using at = await start()
    expect(await sendRaw(at, 'GET', path)).toMatchObject({ status: 404, body: { code: 'not_found' } })
  })

  it('passes dots and backslashes in a query unchanged', async () => {
    await using at = await start()
    await sendRaw(at, 'GET', '/v1/settings/projects?cursor=/../a\\b')
    expect(at.mock.requests).toMatchObject([{ path: '/v1/settings/projects', query: { cursor: '/../a\\b' } }])
  })

  it('returns 405 for TRACE', async () => {
    await using at = await start()
    const { status, headers, body } = await sendRaw(at, 'TRACE', '/v1/settings/projects')
    expect([status, headers['allow'], body.code]).toEqual([405, 'POST, GET, HEAD, DELETE, OPTIONS', 'method_not_allowed'])
  })

  it('returns 400 for an empty chunked body', async () => {
    await using at = await start()
    expect(await sendRaw(at, 'POST', '/v1/settings/projects', true)).toMatchObject({ status: 400, body: { code: 'invalid_json' } })
  })

  it('closes connections and stalls bodies', async () => {
    await using at = await start()
    const { project_id } = at.mock.seed.flow()
    for (const fault of ['networkError', 'commitThenDrop', 'stalledBody'] as const) {
      at.mock.faults.next('notifications.send', fault)
      await at.client.notifications.send({ project_id, subject: fault, message: 'b' })
    }
    expect(at.mock.requests.map(({ status }) => status)).toEqual([null, 202, null, 202, 202, 202])
    expect(at.mock.outbox.map(({ subject }) => subject)).toEqual(['networkError', 'commitThenDrop', 'stalledBody'])
  })

  it('does not execute a delayed request whose client has disconnected', async () => {
    const mock = createFlowpostMock({ time: 'manual' })
    await using server = await startMockServer(mock)
    const url = `${server.url}/v1/settings/projects`
    const headers = { authorization: `Bearer ${mock.apiKey}`, 'content-type': 'application/json' }
    const listNames = async () =>
      ((await (await fetch(url, { headers })).json()) as { data: { name: string }[] }).data.map(({ name }) => name)

    mock.faults.next('projects.create', { latencyMs: 1_000 })
    const controller = new AbortController()
    const created = fetch(url, { method: 'POST', headers, body: '{"name":"late"}', signal: controller.signal })
    await expect.poll(() => mock.requests.length).toBe(1)
    controller.abort()
    await expect(created).rejects.toMatchObject({ name: 'AbortError' })
    // The response to a later request shows that the server has noticed the disconnection.
    await listNames()
    await mock.clock.advance(1_000)
    expect(await listNames()).toEqual([])
  })

  it('allows only the given CORS origins', async () => {
    await using at = await start({ corsOrigins: ['https://app.example.com'] })
    const url = `${at.server.url}/v1/settings/projects`
    const preflight = (origin: string) =>
      fetch(url, {
        method: 'OPTIONS',
        headers: { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization,content-type' },
      })
    const allowed = await preflight('https://app.example.com')
    expect([allowed.status, allowed.headers.get('access-control-allow-origin')]).toEqual([204, 'https://app.example.com'])
    expect(allowed.headers.get('access-control-allow-headers')).toBe('authorization,content-type')
    expect((await preflight('https://evil.example.com')).headers.get('access-control-allow-origin')).toBeNull()
    const answer = await fetch(url, { headers: { origin: 'https://app.example.com', authorization: `Bearer ${at.mock.apiKey}` } })
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([200, 'https://app.example.com'])
    expect(answer.headers.get('access-control-expose-headers')).toContain('ETag')
  })

  it('stops listening when it is closed', async () => {
    const { server } = await start()
    await server.close()
    await expect(fetch(server.url)).rejects.toThrow('fetch failed')
  })
})
