import { createRequire } from 'node:module'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { flowpostHandlers } from '../../src/msw.ts'
import { describeTransport } from './describe-conformance.ts'
import { createConformingMock, mockTarget } from './mock-target.ts'

// The package supports both versions. Here its import of `msw` resolves to version 2.
vi.mock('msw', () => import('msw2'))
const { setupServer } = await import('msw2/node')

const mock = createConformingMock()
// Differs from the base URL of the mock.
const baseUrl = 'https://flowpost.example.com'
const server = setupServer(...(flowpostHandlers(mock, { baseUrl }) as never[]))

beforeAll(() => server.listen())
afterAll(() => server.close())

describe('this file', () => {
  it('runs on MSW 2', () => {
    const { version } = createRequire(import.meta.url)('msw2/package.json') as { version: string }
    expect(version).toMatch(/^2\.(?:[1-9]\d)\./)
  })
})

const { fetch: _, ...target } = mockTarget(mock)
describeTransport('the mock behind MSW 2', { ...target, baseUrl })
