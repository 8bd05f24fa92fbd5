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
    const read = async (path: string) => {
      const response = await fetch(at.server.url + path)
      return [response.status, await response.text()]
    }
    expect([await read('/livez'), await read('/readyz')]).toEqual([
      [200, 'ok\n'],
      [200, 'ready\n'],
    ])
    expect(at.mock.requests).toEqual([])
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
