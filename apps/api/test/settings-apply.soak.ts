import { createFlowpostMock } from '@flowpost/testing'
import { afterAll, beforeAll, describe } from 'vitest'
import { describeSettingsRoundTrip } from './support/settings-round-trip.ts'
import { startTestServer, type TestServer } from './support/test-server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer({ env: { FLOWPOST_ENCRYPTION_KEY: `k1:${Buffer.alloc(32, 1).toString('base64')}` } })
})
afterAll(() => server[Symbol.asyncDispose]())

describe('applying a settings document', () => {
  describeSettingsRoundTrip('on the server', () => server.client(), { runs: 1_000, seed: 2 })
  describeSettingsRoundTrip('on the mock', () => createFlowpostMock().client(), { runs: 1_000, seed: 3 })
})
