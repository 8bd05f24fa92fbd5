import { createRequire } from 'node:module'
import { describe, expect, it, vi } from 'vitest'
import { describeTransport } from './describe-conformance.ts'
import { describeMsw2 } from './msw-transport.ts'

// The package supports MSW 2 and 3. In this test, the package's import of `msw` resolves to version 2.
vi.mock('msw', () => import('msw2'))
const { setupServer } = await import('msw2/node')

describe('this file', () => {
  it('runs on MSW 2', () => {
    const { version } = createRequire(import.meta.url)('msw2/package.json') as { version: string }
    expect(version).toMatch(/^2\.(?:[1-9]\d)\./)
  })
})

describeMsw2(setupServer, describeTransport)
