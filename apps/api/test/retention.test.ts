import { Client } from 'pg'
import { describe, expect, it } from 'vitest'
import { createFlow, send, settled } from './resources.ts'
import { startTestServer } from './test-server.ts'

const secret = 'only-for-the-receiver'

describe('retention', () => {
  it('removes subject and message when their time is over, and keeps the log', async () => {
    await using server = await startTestServer()
    const { project } = await createFlow(server)
    const { id } = await send(server, project.id)
    await settled(server, id)
    await server.stop()

    await using later = await server.again({ clock: { now: () => new Date(Date.now() + 31 * 24 * 3_600_000) } })
    await expect.poll(async () => (await later.request('GET', `/v1/notifications/${id}`)).json.subject).toBeNull()
    const { json } = await later.request('GET', `/v1/notifications/${id}`)
    expect(json).toMatchObject({ status: 'sent', deliveries: [{ status: 'sent', attempts: [{ outcome: 'captured' }] }] })
    expect((await later.request('POST', `/v1/notifications/${id}/retry`)).json.code).toBe('not_retryable')
    expect((await later.request('GET', '/outbox', { key: null })).text).not.toContain(json.deliveries[0].id)
  })

  it('removes the log when its time is over', async () => {
    await using server = await startTestServer()
    const { project } = await createFlow(server)
    const { id } = await send(server, project.id)
    await settled(server, id)
    await server.stop()

    await using later = await server.again({ clock: { now: () => new Date(Date.now() + 91 * 24 * 3_600_000) } })
    await expect.poll(async () => (await later.request('GET', `/v1/notifications/${id}`)).status).toBe(404)
  })
})

describe('with FLOWPOST_LOG_CONTENT=off', () => {
  it('no subject and message is stored beyond delivery', async ({ skip }) => {
    await using server = await startTestServer({ env: { FLOWPOST_LOG_CONTENT: 'off', FLOWPOST_CAPTURE: 'off', ...noReceiver } })
    if (server.database.url === undefined) skip('The rows are looked at over a second connection, which PostgreSQL has.')
    const { project } = await createFlow(server)
    const accepted = await server.request('POST', '/v1/notifications', {
      json: { project_id: project.id, subject: secret, message: secret },
      headers: { 'Idempotency-Key': 'one' },
    })
    expect(accepted.json.subject).toBeNull()
    await settled(server, accepted.json.id)
    const waiting = await send(server, project.id, {
      subject: secret,
      message: secret,
      send_at: new Date(Date.now() + 60_000).toISOString(),
    })
    await server.request('POST', `/v1/notifications/${waiting.id}/cancel`)

    const client = new Client({ connectionString: server.database.url })
    await client.connect()
    const { rows } = await client.query<{ name: string }>(
      `select format('%I.%I', table_schema, table_name) as name from information_schema.tables
       where table_schema in ('public', 'flowpost_queue') and table_type = 'BASE TABLE'`,
    )
    const found: string[] = []
    for (const { name } of rows) {
      const hits = await client.query(`select 1 from ${name} t where t::text like $1 limit 1`, [`%${secret}%`])
      if (hits.rowCount) found.push(name)
    }
    await client.end()
    expect(found).toEqual([])
  })
})

// Nobody listens on this port, so the delivery fails for good at once: its budget is 0.
const noReceiver = {
  FLOWPOST_SMTP_URL: 'smtp://127.0.0.1:9',
  FLOWPOST_EMAIL_FROM: 'noreply@example.com',
  FLOWPOST_RETRY_BUDGET_HOURS: '0',
}
