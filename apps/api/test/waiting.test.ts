import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { createKey } from './support/api-keys.ts'
import { createFlow, send } from './support/resources.ts'
import { startTestServer } from './support/test-server.ts'

it('a wait is refused while its credential waits a hundred times, and no longer once those have gone away', async () => {
  await using server = await startTestServer({ env: { FLOWPOST_RATE_LIMIT: 'off' } })
  const { project } = await createFlow(server)
  const { id } = await send(server, project.id, { send_at: new Date(Date.now() + 3_600_000).toISOString() })
  /** The answer, or `undefined` when the client went away before. */
  const wait = (gone: AbortSignal) =>
    fetch(`${server.url}/v1/notifications/${id}?wait=60`, {
      headers: { Authorization: `Bearer ${server.keys.alice}` },
      signal: gone,
    }).catch(() => undefined)
  const shortly = () => wait(AbortSignal.timeout(1_000))

  const clients = new AbortController()
  const waits = Array.from({ length: 100 }, () => wait(clients.signal))
  let refused: Response | undefined
  for (let tries = 0; !refused && tries < 20; tries += 1) refused = await shortly()
  expect(refused?.headers.get('retry-after')).toMatch(/^\d+$/)
  expect(await refused?.json()).toMatchObject({ code: 'rate_limited', status: 429 })
  expect((await server.request('GET', `/v1/notifications/${id}`)).status).toBe(200)

  clients.abort()
  expect(await Promise.all(waits)).toEqual(Array.from({ length: 100 }, () => undefined))
  let admitted = false
  for (let tries = 0; !admitted && tries < 20; tries += 1) admitted = (await shortly()) === undefined
  expect(admitted).toBe(true)
})

it('a wait whose key is revoked or expires meanwhile ends with 401 and tells nothing', async () => {
  let laterMs = 0
  const now = () => new Date(Date.now() + laterMs)
  await using server = await startTestServer({ clock: { now } })
  const { project } = await createFlow(server)
  const { id } = await send(server, project.id, { send_at: new Date(Date.now() + 24 * 3_600_000).toISOString() })
  const revoked = await createKey(server)
  const ended = await createKey(server, { expires_at: new Date(Date.now() + 3_600_000).toISOString() })
  const answers = [revoked, ended].map(({ key }) => server.request('GET', `/v1/notifications/${id}?wait=60`, { key }))
  const valid = server.request('GET', `/v1/notifications/${id}?wait=60`)
  // By then all of them wait.
  await sleep(500)
  await server.request('DELETE', `/v1/settings/api-keys/${revoked.id}`)
  laterMs = 3_600_000
  await server.request('POST', `/v1/notifications/${id}/cancel`)

  expect((await valid).json).toMatchObject({ id, status: 'canceled' })
  for (const answer of await Promise.all(answers)) {
    expect([answer.status, answer.json.code]).toEqual([401, 'unauthenticated'])
    expect(answer.text).not.toContain(project.id)
  }
})

it('does not count a wait whose client disconnects during authentication', async () => {
  await using server = await startTestServer({ env: { FLOWPOST_RATE_LIMIT: 'off' } })
  const { project } = await createFlow(server)
  const { id } = await send(server, project.id, { send_at: new Date(Date.now() + 3_600_000).toISOString() })
  // They share the limit of the key that creates them. None is cached, so its first request waits for the database.
  const keys = await Promise.all(Array.from({ length: 100 }, () => createKey(server)))
  const path = `/v1/notifications/${id}?wait=60`
  for (const { key } of keys) {
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1')
    await once(socket, 'connect')
    socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\n\r\n`, () => socket.destroy())
    await once(socket, 'close')
  }
  await sleep(500)
  expect((await server.request('GET', `/v1/notifications/${id}?wait=1`)).status).toBe(200)
})
