import { afterAll, beforeAll } from 'vitest'
import { type MockServer, startMockServer } from '../../src/server.ts'
import { describeTransport } from './describe-conformance.ts'
import { createConformingMock, mockTarget } from './mock-target.ts'

const mock = createConformingMock()
let server: MockServer

beforeAll(async () => {
  server = await startMockServer(mock)
})
afterAll(() => server.close())

const { fetch: _, ...target } = mockTarget(mock)
describeTransport('the mock on a real port', target, () => ({ ...target, baseUrl: server.url }))
