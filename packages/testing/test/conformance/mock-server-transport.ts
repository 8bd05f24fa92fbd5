import { afterAll, beforeAll } from 'vitest'
import { type MockServer, startMockServer } from '../../src/server.ts'
import type { DescribeTarget } from './describe-conformance.ts'
import { createConformingMock, mockTarget } from './mock-target.ts'

/** Defines the tests of a mock on a real port. */
export const describeMockServer = (describeTarget: DescribeTarget): void => {
  const mock = createConformingMock()
  let server: MockServer

  beforeAll(async () => {
    server = await startMockServer(mock)
  })
  afterAll(() => server.close())

  const { fetch: _, ...target } = mockTarget(mock)
  describeTarget('the mock on a real port', target, () => ({ ...target, baseUrl: server.url }))
}
