import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { onDatabase } from '../support/direct-database.ts'
import { addFlow, createFlow, flowPath } from '../support/resources.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'
import { waitForErasure } from './wait-for-erasure.ts'

const traceHeaders = (address: string) => ({
  traceparent: `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`,
  tracestate: `crm=${address}`,
})

let server: TestServer
/** The replacements of the erased addresses: the email address `ann@example.com`, and `ops` on Discord. */
let erased: { readonly ann: string; readonly ops: string }
beforeAll(async () => {
  server = await startTestServer({ env: { FLOWPOST_CAPTURE: 'on', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' } })
  const { project } = await createFlow(server)
  const post = async (path: string, json: object, requestId = 'r1', other: Record<string, string> = {}) => {
    const response = await server.request('POST', path, { json, headers: { 'X-Request-Id': requestId, ...other } })
    expect([201, 202], response.text).toContain(response.status)
    return response.json
  }
  const message = { project_id: project.id, subject: 'a', message: 'b', send_at: new Date(Date.now() + 3_600_000).toISOString() }
  // The range of the bulk actions ends before the messages below are accepted.
  const filter = { project_id: project.id, created_after: project.created_at }
  for (const address of ['ann@example.com', 'bob@example.com'])
    await post('/v1/bulk-actions', { action: 'cancel', filter }, `cancel-${address}`, traceHeaders(address))
  for (const address of ['ann@example.com', 'bob@example.com'])
    await post('/v1/notifications', message, `welcome-${address}`, traceHeaders(address))
  const flow = await addFlow(server, project.id, { source_type: 'discord', target: 'ops', name: 'Alerts' })
  expect((await server.request('PATCH', flowPath(flow), { json: { target: 'eve' } })).status).toBe(200)
  const settings = `/v1/settings/projects/${project.id}`
  await post(`${settings}/suppressions`, { target: 'discord:ops', reason: 'manual' }, 'r2', { 'Idempotency-Key': '1' })
  await post(`${settings}/flows`, { name: 'Chat', source_type: 'discord', target: 'ops' }, 'r3', { 'Idempotency-Key': '2' })
  const erase = async (target: string): Promise<string> =>
    (await waitForErasure(server, (await post('/v1/erasures', { target })).id)).target
  erased = { ann: await erase('ann@example.com'), ops: await erase('discord:ops') }
  await server.stop()
})
afterAll(() => server?.[Symbol.asyncDispose]())

const read = (statement: string) => onDatabase(server.database, (query) => query(statement))

describe('an erasure removes the recipient', () => {
  it('from the request ids of bulk actions', async () => {
    expect(await read('select request_id from bulk_actions order by id')).toEqual([
      { request_id: erased.ann },
      { request_id: 'cancel-bob@example.com' },
    ])
  })

  it('from the request ids of pending messages to other recipients', async () => {
    expect(await read('select request_id from delivery_jobs order by delivery_id')).toEqual([
      { request_id: erased.ann },
      { request_id: 'welcome-bob@example.com' },
    ])
  })

  it('from the trace states of bulk actions and of pending messages to other recipients', async () => {
    for (const [table, key] of [
      ['bulk_actions', 'id'],
      ['delivery_jobs', 'delivery_id'],
    ])
      expect(
        await read(`select regexp_replace(trace_context, '-[0-9a-f]{16}-', '-span-') as context from ${table} order by ${key}`),
      ).toEqual([{ context: `00-${'1'.repeat(32)}-span-01` }, { context: `00-${'1'.repeat(32)}-span-01 crm=bob@example.com` }])
  })

  it('from stored responses with settings, even if the target is a common word', async () => {
    const targets = await read(`select body::json ->> 'target' as target from idempotency_keys order by key`)
    expect(targets).toEqual([{ target: erased.ops }, { target: erased.ops }])
  })

  it('from the settings history, even if the target is a common word', async () => {
    const targets = await read(`select before::json ->> 'target' as before, after::json ->> 'target' as after from settings_history
      where kind = 'flow' and after::json ->> 'name' = 'Alerts' order by id`)
    expect(targets).toEqual([
      { before: null, after: erased.ops },
      { before: erased.ops, after: 'eve' },
    ])
  })
})
