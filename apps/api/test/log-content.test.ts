import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it } from 'vitest'
import { dump } from './support/direct-database.ts'
import { addFlow, createFlow, readCompleted, send } from './support/resources.ts'
import { startTestServer } from './support/test-server.ts'

const secret = 'only-for-the-receiver'

const contentOff = {
  FLOWPOST_LOG_CONTENT: 'off',
  FLOWPOST_CAPTURE: 'off',
  FLOWPOST_EGRESS_ALLOW: '127.0.0.0/8',
  FLOWPOST_ENCRYPTION_KEY: `k1:${Buffer.alloc(32, 1).toString('base64')}`,
}

// Connections to this port are rejected. A retry budget of 0 makes the delivery fail at the first attempt.
const unreachableSmtp = {
  FLOWPOST_SMTP_URL: 'smtp://127.0.0.1:9',
  FLOWPOST_EMAIL_FROM: 'noreply@example.com',
  FLOWPOST_RETRY_BUDGET_HOURS: '0',
}

/**
 * Starts a webhook receiver that echoes request bodies: with 400 on `/bad`, with 200 on other paths. On `/slow` it returns 503
 * once the function in `pending` is called.
 */
const startEcho = async () => {
  const received: string[] = []
  const pending: (() => void)[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
    const body = Buffer.concat(chunks).toString()
    received.push(body)
    if (request.url === '/slow') pending.push(() => response.writeHead(503).end(body))
    else response.writeHead(request.url === '/bad' ? 400 : 200).end(body)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    received,
    pending,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

describe('FLOWPOST_LOG_CONTENT=off', () => {
  it('neither stores nor logs a subject or message after delivery, even if the receiver echoes them', async () => {
    await using receiver = await startEcho()
    await using server = await startTestServer({ env: { ...unreachableSmtp, ...contentOff, LOG_LEVEL: 'debug' } })
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
    const completed = await readCompleted(server, accepted.json.id)
    expect(completed.deliveries.map(({ status }: { status: string }) => status).sort()).toEqual(['failed', 'failed', 'sent'])
    expect(receiver.received.join()).toContain(secret)
    const scheduled = await send(server, project.id, {
      subject: secret,
      message: secret,
      send_at: new Date(Date.now() + 60_000).toISOString(),
    })
    await server.request('POST', `/v1/notifications/${scheduled.id}/cancel`)

    await server.stop()
    const rows = await dump(server.database)
    expect(rows.some((row) => row.includes(accepted.json.deliveries[0].target))).toBe(true)
    expect(rows.filter((row) => row.includes(secret))).toEqual([])
    expect(server.logged.filter((line) => line.includes('Attempt failed.'))).toHaveLength(2)
    expect(server.logged.filter((line) => line.includes(secret))).toEqual([])
  })

  it.each([
    ['stores no captured message if nobody can open the outbox', 'off', false],
    ['stores captured messages for the outbox', 'on', true],
  ])('%s', async (_, outbox, isStored) => {
    await using server = await startTestServer({ env: { ...contentOff, FLOWPOST_CAPTURE: 'on', FLOWPOST_OUTBOX: outbox } })
    const { project } = await createFlow(server)
    const { id } = await send(server, project.id, { subject: secret, message: secret })
    expect(await readCompleted(server, id)).toMatchObject({ status: 'sent', deliveries: [{ captured: true }] })
    await server.stop()
    const rows = await dump(server.database)
    const tables = rows.filter((row) => row.includes(secret)).map((row) => row.split(' ')[0])
    expect(tables).toEqual(isStored ? ['public.captured_messages'] : [])
  })

  it('stores no subject or message after the flow of a scheduled and an in-flight message is deleted', async () => {
    await using receiver = await startEcho()
    await using server = await startTestServer({ env: contentOff })
    const { project } = await createFlow(server)
    const base = `/v1/settings/projects/${project.id}`
    const secrets = { urls: { slow: `${receiver.url}slow` }, signing_secret: `whsec_${'A'.repeat(32)}` }
    await server.request('PUT', `${base}/integrations/webhook`, { json: { settings: {}, secrets } })
    const flow = await addFlow(server, project.id, { source_type: 'webhook', target: 'slow' })
    const fields = { subject: secret, message: secret, flow_id: flow.id }
    const scheduled = await send(server, project.id, { ...fields, send_at: new Date(Date.now() + 60_000).toISOString() })
    const inFlight = await send(server, project.id, fields)
    await expect.poll(() => receiver.pending.length).toBe(1)
    expect((await server.request('DELETE', `${base}/flows/${flow.id}`)).status).toBe(204)
    receiver.pending[0]?.()
    for (const { id } of [scheduled, inFlight]) expect((await readCompleted(server, id)).status).toBe('canceled')

    await server.stop()
    const rows = await dump(server.database)
    expect(rows.filter((row) => row.includes('canceled')).length).toBeGreaterThan(0)
    expect(rows.filter((row) => row.includes(secret))).toEqual([])
  })
})
