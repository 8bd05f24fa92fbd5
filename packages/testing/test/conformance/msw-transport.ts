import type { RequestHandler } from 'msw'
import { afterAll, beforeAll } from 'vitest'
import { flowpostHandlers } from '../../src/msw.ts'
import type { DescribeTarget } from './describe-conformance.ts'
import { createConformingMock, mockTarget } from './mock-target.ts'

const baseUrl = 'https://flowpost.example.com/notifications'

interface Interception {
  listen(): void
  close(): void
}

const describeHandlers = (
  what: string,
  server: Interception,
  target: ReturnType<typeof mockTarget>,
  describeTarget: DescribeTarget,
): void => {
  beforeAll(() => server.listen())
  afterAll(() => server.close())
  const { fetch: _, ...intercepted } = target
  describeTarget(what, intercepted)
}

/** Defines the tests of a mock behind MSW 3. */
export const describeMsw3 = (setupServer: (...handlers: RequestHandler[]) => Interception, describeTarget: DescribeTarget): void => {
  const mock = createConformingMock({ baseUrl })
  describeHandlers('the mock behind MSW 3', setupServer(...flowpostHandlers(mock)), mockTarget(mock), describeTarget)
}

/** Defines the tests of a mock behind MSW 2. The handlers' base URL differs from the mock's. */
export const describeMsw2 = (setupServer: (...handlers: never[]) => Interception, describeTarget: DescribeTarget): void => {
  const mock = createConformingMock()
  const handlersUrl = 'https://flowpost.example.com'
  const server = setupServer(...(flowpostHandlers(mock, { baseUrl: handlersUrl }) as never[]))
  describeHandlers('the mock behind MSW 2', server, { ...mockTarget(mock), baseUrl: handlersUrl }, describeTarget)
}
