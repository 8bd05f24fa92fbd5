import { createFlowpost } from '@flowpost/client'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { eventEnv as encryption } from '../support/event-endpoints.ts'
import { followGuide } from '../support/follow-guide.ts'
import { hasCurl } from '../support/guide-pages.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer({ env: { ...encryption, FLOWPOST_CAPTURE: 'on' } })
})
afterAll(() => server[Symbol.asyncDispose]())

it.skipIf(!hasCurl)('the guide move-from-queue.md creates API keys that hand over a job once', async () => {
  const [flow, live, test] = (await followGuide(server, 'move-from-queue')).map((line) => JSON.parse(line))
  expect(flow).toMatchObject({ key: 'mail', override_target: true })
  expect([live.mode, test.mode]).toEqual(['live', 'test'])
  const job = { project: 'billing', flow: 'mail', target: 'smtp:ada@example.com', subject: 'Invoice 42', message: 'It is ready.' }
  const send = (apiKey: string, key: string) =>
    createFlowpost({ baseUrl: server.url, apiKey }).notifications.send({ ...job, reference: 'invoice-42' }, { idempotencyKey: key })
  const first = await send(live.key, 'billing:job:1')
  const repeated = await send(live.key, 'billing:job:1')
  const compared = await send(test.key, 'billing:job:2')
  expect([repeated.id, first.test, compared.test]).toEqual([first.id, false, true])
  expect((await server.client().notifications.list({ reference: 'invoice-42' })).data.map(({ id }) => id).sort()).toEqual(
    [first.id, compared.id].sort(),
  )
})

it.skipIf(!hasCurl)("the guide move-from-novu.md sends to a user's channels", async () => {
  const lines = await followGuide(server, 'move-from-novu')
  expect(lines[3]).toBe('sent C0123ABCD ada@example.com')
  const [mail, chat, suppression, , sent] = lines.map((line) => (line.startsWith('{') ? JSON.parse(line) : line))
  expect([mail.key, chat.key]).toEqual(['mail', 'chat'])
  expect(suppression).toMatchObject({ target: 'bounced@example.com', reason: 'bounce' })
  expect(sent).toMatchObject({ reference: 'user-7', deliveries: [{ target: 'ada@example.com', source_type: 'smtp' }] })
})
