import { vi } from 'vitest'
import { describeConformance } from './describe-conformance.ts'
import { describeMsw2 } from './msw-transport.ts'

// The package supports MSW 2 and 3. In this test, the package's import of `msw` resolves to version 2.
vi.mock('msw', () => import('msw2'))
const { setupServer } = await import('msw2/node')

describeMsw2(setupServer, describeConformance)
