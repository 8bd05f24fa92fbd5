import { afterAll, beforeAll, describe, it } from 'vitest'
import { startTestServer, type TestServer } from '../support/test-server.ts'
import { expectExplained, expectExplainedDuringEdits, sendBetweenEdits } from './edited-settings.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer({ env: { FLOWPOST_CAPTURE: 'on' } })
})
afterAll(() => server[Symbol.asyncDispose]())

describe('the explanation of a notification', () => {
  it('matches what happened for 1,000 notifications with settings edited in between', async () => {
    await expectExplained(server, await sendBetweenEdits(server, { count: 1_000, seed: 2 }))
  }, 300_000)

  it(
    'agrees with the deliveries if settings are edited during the send',
    () => expectExplainedDuringEdits(server, { rounds: 200 }),
    300_000,
  )
})
