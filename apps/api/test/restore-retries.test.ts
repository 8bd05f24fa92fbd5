import { afterAll, beforeAll, expect, it } from 'vitest'
import { createFlow, readCompleted } from './support/resources.ts'
import { startTestServer, type TestServer } from './support/test-server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer({})
})
afterAll(() => server[Symbol.asyncDispose]())

it('attempts a failed delivery of the backup again if somebody retries it on hold, even if the others are canceled', async () => {
  const { project } = await createFlow(server, { override_target: true })
  const { json: test } = await server.request('POST', '/v1/settings/api-keys', { json: { name: 'tests', mode: 'test' } })
  const send = async (target: string, fields: object = {}): Promise<string> => {
    const json = { project_id: project.id, subject: 'a', message: 'b', target, ...fields }
    return (await server.request('POST', '/v1/notifications', { json, key: test.key })).json.id
  }
  const failed = await send('bounce@flowpost.test')
  expect((await readCompleted(server, failed)).status).toBe('failed')
  const pending = await send('ok@flowpost.test', { send_at: new Date(Date.now() + 3_600_000).toISOString() })
  await server.stop()

  const FLOWPOST_RESTORED_AT = new Date().toISOString()
  server = await server.restart({ env: { FLOWPOST_RESTORED_AT } })
  expect((await server.request('POST', `/v1/notifications/${failed}/retry`)).json.status).toBe('queued')
  await server.stop()

  server = await server.restart({ env: { FLOWPOST_RESTORED_AT, FLOWPOST_AFTER_RESTORE: 'cancel' } })
  const canceled = { status: 'canceled', failure: { code: 'restored' } }
  expect((await readCompleted(server, pending)).deliveries).toMatchObject([canceled])
  expect((await readCompleted(server, failed)).deliveries).toMatchObject([{ status: 'failed', attempt_count: 2 }])
})
