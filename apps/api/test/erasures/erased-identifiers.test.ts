import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { onDatabase } from '../support/direct-database.ts'
import { addFlow, createFlow, flowPath } from '../support/resources.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'
import { waitForErasure } from './wait-for-erasure.ts'

let server: TestServer
/** The replacements of the erased addresses: the email address `ann@example.com`, and `ops` on Discord. */
let erased: { readonly ann: string; readonly ops: string }
beforeAll(async () => {
  server = await startTestServer({ env: { FLOWPOST_CAPTURE: 'on' } })
  const { project } = await createFlow(server)
  const post = async (path: string, json: object, requestId = 'r1') => {
    const response = await server.request('POST', path, { json, headers: { 'X-Request-Id': requestId } })
    expect(response.status, response.text).toBe(202)
    return response.json
  }
  const message = { project_id: project.id, subject: 'a', message: 'b', send_at: new Date(Date.now() + 3_600_000).toISOString() }
  // The range of the bulk actions ends before the messages below are accepted.
  const filter = { project_id: project.id, created_after: project.created_at }
  for (const address of ['ann@example.com', 'bob@example.com'])
    await post('/v1/bulk-actions', { action: 'cancel', filter }, `cancel-${address}`)
  for (const address of ['ann@example.com', 'bob@example.com']) await post('/v1/notifications', message, `welcome-${address}`)
  const flow = await addFlow(server, project.id, { source_type: 'discord', target: 'ops', name: 'Alerts' })
  expect((await server.request('PATCH', flowPath(flow), { json: { target: 'eve' } })).status).toBe(200)
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

  it('from the settings history, even if the target is a common word', async () => {
    const targets = await read(`select before::json ->> 'target' as before, after::json ->> 'target' as after from settings_history
      where kind = 'flow' and after::json ->> 'name' = 'Alerts' order by id`)
    expect(targets).toEqual([
      { before: null, after: erased.ops },
      { before: erased.ops, after: 'eve' },
    ])
  })
})
