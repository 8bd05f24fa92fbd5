import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, it } from 'vitest'
import { createKey } from './support/api-keys.ts'
import { createFlow, send } from './support/resources.ts'
import { startTestServer, type TestServer } from './support/test-server.ts'

const maxWaits = 100

/** Sends a message that is due in a day, so that a request with `wait` does not return early. */
const sendTomorrow = async (server: TestServer) => {
  const { project } = await createFlow(server)
  return send(server, project.id, { send_at: new Date(Date.now() + 24 * 3_600_000).toISOString() })
}

it('returns 429 while the credential has 100 open waits, and accepts waits again after their clients disconnect', async () => {
  await using server = await startTestServer({ env: { FLOWPOST_RATE_LIMIT: 'off' } })
  const { id } = await sendTomorrow(server)
  const clients = new AbortController()
  /** Resolves with the response, or with `undefined` when the client disconnects first. */
  const wait = () =>
    fetch(`${server.url}/v1/notifications/${id}?wait=60`, {
      headers: { Authorization: `Bearer ${server.keys.alice}` },
      signal: clients.signal,
    }).catch(() => undefined)

  const waits = Array.from({ length: maxWaits + 1 }, wait)
  const rejected = await Promise.race(waits)
  expect(rejected?.headers.get('retry-after')).toMatch(/^\d+$/)
  expect(await rejected?.json()).toMatchObject({ code: 'rate_limited', status: 429 })
  expect((await server.request('GET', `/v1/notifications/${id}`)).status).toBe(200)

  clients.abort()
  const responses = await Promise.all(waits)
  expect(responses.filter((response) => response !== rejected)).toEqual(Array.from({ length: maxWaits }, () => undefined))
  const statusOfWait = async () => (await server.request('GET', `/v1/notifications/${id}?wait=1`)).status
  await expect.poll(statusOfWait).toBe(200)
})

it('returns 401 without notification data when the key is revoked or expires during the wait', async () => {
  let offsetMs = 0
  const now = () => new Date(Date.now() + offsetMs)
  await using server = await startTestServer({ clock: { now }, env: { FLOWPOST_RATE_LIMIT: 'off' } })
  const { id, project_id: projectId } = await sendTomorrow(server)
  const revoked = await createKey(server)
  const expiring = await createKey(server, { expires_at: new Date(Date.now() + 3_600_000).toISOString() })
  /** Sends a waiting request with a key. Repeats the request while the requests of `statusesOfWaits` use up the limit. */
  const wait = async (key: string) => {
    for (;;) {
      const response = await server.request('GET', `/v1/notifications/${id}?wait=60`, { key })
      if (response.status !== 429) return response
    }
  }
  const rejected = [revoked, expiring].map(({ key }) => wait(key))
  const valid = wait(server.keys.alice)
  // The keys share a limit of `maxWaits` open requests. With the three requests above, `maxWaits - 2` more are one too many. So
  // exactly one rejection shows that all three are open.
  const statusesOfWaits = () =>
    Promise.all(Array.from({ length: maxWaits - 2 }, async () => (await server.request('GET', `/v1/notifications/${id}?wait=1`)).status))
  await expect.poll(async () => (await statusesOfWaits()).filter((status) => status === 429).length).toBe(1)
  await server.request('DELETE', `/v1/settings/api-keys/${revoked.id}`)
  offsetMs = 3_600_000
  await server.request('POST', `/v1/notifications/${id}/cancel`)

  expect((await valid).json).toMatchObject({ id, status: 'canceled' })
  for (const response of await Promise.all(rejected)) {
    expect([response.status, response.json.code]).toEqual([401, 'unauthenticated'])
    expect(response.text).not.toContain(projectId)
  }
})

it('does not count a wait whose client disconnects during authentication', async () => {
  await using server = await startTestServer({ env: { FLOWPOST_RATE_LIMIT: 'off' } })
  const { project } = await createFlow(server)
  const { id } = await send(server, project.id, { send_at: new Date(Date.now() + 3_600_000).toISOString() })
  // The keys share the limit of the key that creates them. No key is cached, so the first request with each waits for the
  // database.
  const keys: string[] = []
  while (keys.length < maxWaits) keys.push((await createKey(server)).key)
  for (const key of keys) {
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1')
    await once(socket, 'connect')
    const request = `GET /v1/notifications/${id}?wait=60 HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\n\r\n`
    socket.write(request, () => socket.destroy())
    await once(socket, 'close')
  }
  await expect.poll(async () => (await server.request('GET', `/v1/notifications/${id}?wait=1`)).status).toBe(200)
})
