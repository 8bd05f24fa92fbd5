import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it } from 'vitest'
import { toId, type Uuid } from '../src/shared/ids.ts'
import { createKey, statusWith } from './support/api-keys.ts'
import { dump, onDatabase } from './support/direct-database.ts'
import { addFlow, createFlow, readCompleted, send } from './support/resources.ts'
import { revokeAsOperator } from './support/revoke-as-operator.ts'
import { startTestServer, type TestServer } from './support/test-server.ts'

const secret = 'only-for-the-receiver'

describe('retention', () => {
  it('removes subject and message when their time is over, and keeps the log', async () => {
    await using server = await startTestServer()
    const { project } = await createFlow(server)
    const { id } = await send(server, project.id)
    await readCompleted(server, id)
    await server.stop()

    await using later = await server.restart({ clock: { now: () => new Date(Date.now() + 31 * 24 * 3_600_000) } })
    await expect.poll(async () => (await later.request('GET', `/v1/notifications/${id}`)).json.subject).toBeNull()
    const { json } = await later.request('GET', `/v1/notifications/${id}`)
    expect(json).toMatchObject({ status: 'sent', deliveries: [{ status: 'sent', attempts: [{ outcome: 'captured' }] }] })
    expect((await later.request('POST', `/v1/notifications/${id}/retry`)).json.code).toBe('not_retryable')
    expect((await later.openOutbox('')).text).not.toContain(json.deliveries[0].id)
  })

  it('removes the log when its time is over', async () => {
    await using server = await startTestServer()
    const { project } = await createFlow(server)
    const { id } = await send(server, project.id)
    await readCompleted(server, id)
    await server.stop()

    await using later = await server.restart({ clock: { now: () => new Date(Date.now() + 91 * 24 * 3_600_000) } })
    await expect.poll(async () => (await later.request('GET', `/v1/notifications/${id}`)).status).toBe(404)
  })
})

describe('the retention of API keys', () => {
  it('forgets those that ended long ago, and none that could come back or still works', async () => {
    await using server = await startTestServer()
    const [lasting, revoked, parent] = [await createKey(server), await createKey(server), await createKey(server, { name: 'parent' })]
    const ending = await createKey(server, { expires_at: new Date(Date.now() + 3_600_000).toISOString() })
    const late = await createKey(server, { expires_at: new Date(Date.now() + 100 * dayMs).toISOString() })
    const child = await createKey(server, {}, parent.key)
    for (const { id } of [revoked, parent]) await server.request('DELETE', `/v1/settings/api-keys/${id}`)
    await revokeAsOperator(server.database, (await bootstrapKeyOf(server, server.keys.bob)).id)
    await server.stop()

    const later = await server.restart({ clock: { now: () => new Date(Date.now() + 91 * dayMs) } })
    const listed = async () => (await later.request('GET', '/v1/settings/api-keys')).json.data.map(({ id }: { id: string }) => id)
    await expect.poll(listed).not.toContain(ending.id)
    expect(await listed()).toEqual(expect.arrayContaining([lasting.id, late.id]))
    expect(await statusWith(later, lasting.key)).toBe(200)
    // Listed by the environment and revoked by a person.
    expect(await statusWith(later, server.keys.bob)).toBe(401)
    await later.stop()
    const rows = await onDatabase(server.database, (query) => query<{ id: string }>('select id from api_keys'))
    const left = rows.map(({ id }) => toId('apiKey', id as Uuid))
    expect(left).toEqual(expect.arrayContaining([lasting.id, late.id]))
    for (const { id } of [ending, revoked, parent, child]) expect(left).not.toContain(id)
    expect(rows).toHaveLength(4)
  })
})

const dayMs = 24 * 3_600_000

const bootstrapKeyOf = async (server: TestServer, key: string): Promise<{ id: string }> =>
  (await server.request('GET', '/v1/settings/api-keys', { key })).json.data.find(({ name }: { name: string }) => name === 'bootstrap')

describe('with FLOWPOST_LOG_CONTENT=off', () => {
  it('no subject and message is stored beyond delivery, not even when the receiver repeats them', async () => {
    await using receiver = await startEcho()
    await using server = await startTestServer({
      env: { ...noReceiver, ...noContent },
    })
    const { project } = await createFlow(server)
    const base = `/v1/settings/projects/${project.id}`
    const secrets = {
      urls: { good: receiver.url, bad: `${receiver.url}bad` },
      signing_secret: `whsec_${'A'.repeat(32)}`,
    }
    await server.request('PUT', `${base}/integrations/webhook`, { json: { settings: {}, secrets } })
    for (const target of ['good', 'bad']) await addFlow(server, project.id, { source_type: 'webhook', target })
    const accepted = await server.request('POST', '/v1/notifications', {
      json: { project_id: project.id, subject: secret, message: secret },
      headers: { 'Idempotency-Key': 'one' },
    })
    expect(accepted.json.subject).toBeNull()
    const ended = await readCompleted(server, accepted.json.id)
    expect(ended.deliveries.map(({ status }: { status: string }) => status).sort()).toEqual(['failed', 'failed', 'sent'])
    expect(receiver.repeated.join()).toContain(secret)
    const waiting = await send(server, project.id, {
      subject: secret,
      message: secret,
      send_at: new Date(Date.now() + 60_000).toISOString(),
    })
    await server.request('POST', `/v1/notifications/${waiting.id}/cancel`)

    await server.stop()
    const rows = await dump(server.database)
    expect(rows.some((row) => row.includes(accepted.json.deliveries[0].target))).toBe(true)
    expect(rows.filter((row) => row.includes(secret))).toEqual([])
  })

  it('nothing is left of what a deleted flow had waiting or on its way, when that fails for now', async () => {
    await using receiver = await startEcho()
    await using server = await startTestServer({ env: noContent })
    const { project } = await createFlow(server)
    const base = `/v1/settings/projects/${project.id}`
    const secrets = { urls: { slow: `${receiver.url}slow` }, signing_secret: `whsec_${'A'.repeat(32)}` }
    await server.request('PUT', `${base}/integrations/webhook`, { json: { settings: {}, secrets } })
    const flow = await addFlow(server, project.id, { source_type: 'webhook', target: 'slow' })
    const text = { subject: secret, message: secret, flow_id: flow.id }
    const waiting = await send(server, project.id, { ...text, send_at: new Date(Date.now() + 60_000).toISOString() })
    const onItsWay = await send(server, project.id, text)
    await expect.poll(() => receiver.held.length).toBe(1)
    expect((await server.request('DELETE', `${base}/flows/${flow.id}`)).status).toBe(204)
    receiver.held[0]?.()
    for (const { id } of [waiting, onItsWay]) expect((await readCompleted(server, id)).status).toBe('canceled')

    await server.stop()
    const rows = await dump(server.database)
    expect(rows.filter((row) => row.includes('canceled')).length).toBeGreaterThan(0)
    expect(rows.filter((row) => row.includes(secret))).toEqual([])
  })
})

const noContent = {
  FLOWPOST_LOG_CONTENT: 'off',
  FLOWPOST_CAPTURE: 'off',
  FLOWPOST_EGRESS_ALLOW: '127.0.0.0/8',
  FLOWPOST_ENCRYPTION_KEY: `k1:${Buffer.alloc(32, 1).toString('base64')}`,
}

// Nobody listens on this port, so the delivery fails for good at once: its budget is 0.
const noReceiver = {
  FLOWPOST_SMTP_URL: 'smtp://127.0.0.1:9',
  FLOWPOST_EMAIL_FROM: 'noreply@example.com',
  FLOWPOST_RETRY_BUDGET_HOURS: '0',
}

/** A receiver of webhooks that repeats what it gets, with 400 under `/bad`; with 503 under `/slow`, when it is told to. */
const startEcho = async () => {
  const repeated: string[] = []
  const held: (() => void)[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
    const body = Buffer.concat(chunks).toString()
    repeated.push(body)
    if (request.url === '/slow') held.push(() => response.writeHead(503).end(body))
    else response.writeHead(request.url === '/bad' ? 400 : 200).end(body)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    repeated,
    held,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
