import { setupServer } from 'msw/node'
import { afterAll, beforeAll } from 'vitest'
import { flowpostHandlers } from '../../src/msw.ts'
import { describeTransport } from './describe-conformance.ts'
import { createConformingMock, mockTarget } from './mock-target.ts'

const baseUrl = 'https://flowpost.example.com/notifications'
const mock = createConformingMock({ baseUrl })
const server = setupServer(...flowpostHandlers(mock))

beforeAll(() => server.listen())
afterAll(() => server.close())

const { fetch: _, ...target } = mockTarget(mock)
describeTransport('the mock behind MSW 3', target)
