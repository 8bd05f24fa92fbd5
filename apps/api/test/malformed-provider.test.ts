import { DeliveryError, type Provider } from '@flowpost/delivery'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createEmailProvider } from './support/email-provider.ts'
import { send, waitForDeliveryStatus } from './support/resources.ts'
import { startTestServer, type TestServer } from './support/test-server.ts'

/** Defines a provider. Its functions may violate their types, because Node does not check those of FLOWPOST_PROVIDERS. */
const define = (id: string, overrides: object): Provider => ({ ...createEmailProvider(id, async () => {}), ...overrides })

let sends = 0
const numericCode = define('numeric-code', {
  send: async ({ markSendStarted }: { markSendStarted: () => void }) => {
    markSendStarted()
    sends += 1
    const { code } = JSON.parse('{"code":1042}')
    throw new DeliveryError({ kind: 'ambiguous', code, detail: 'The response was lost.' })
  },
})
const noResults = define('no-results', { check: async () => undefined })
const noDetail = define('no-detail', { check: async () => [{ name: 'x', ok: true, code: 'ok' }] })

let server: TestServer
let path: string
let projectId: string

beforeAll(async () => {
  server = await startTestServer({
    providers: [numericCode, noResults, noDetail],
    env: { FLOWPOST_CAPTURE: 'off', FLOWPOST_AMBIGUOUS: 'hold' },
  })
  const { json: project } = await server.request('POST', '/v1/settings/projects', { json: { name: 'Malformed' } })
  projectId = project.id
  path = `/v1/settings/projects/${projectId}`
  for (const { id } of [numericCode, noResults, noDetail])
    await server.request('PUT', `${path}/integrations/${id}`, { json: { settings: {}, secrets: {} } })
})
afterAll(() => server[Symbol.asyncDispose]())

it('holds an ambiguous message whose provider sets a number as the code of its error', async () => {
  await server.request('POST', `${path}/flows`, { json: { name: 'f', source_type: numericCode.id, target: 'a@example.com' } })
  const { id } = await send(server, projectId)
  await waitForDeliveryStatus(server, id, 'ambiguous')
  expect(sends).toBe(1)
})

it.each([noResults.id, noDetail.id])('reports a failed check when the result of the provider is malformed: %s', async (id) => {
  const flow = { name: id, source_type: id, target: 'a@example.com', active: false }
  const { json } = await server.request('POST', `${path}/flows`, { json: flow })
  const { status, json: result } = await server.request('POST', `${path}/flows/${json.id}/check`)
  expect(status).toBe(200)
  expect(result).toMatchObject({ ok: false, checks: [{ name: 'reach', code: 'provider_fault' }] })
})
