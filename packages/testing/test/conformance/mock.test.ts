import { describeConformance } from './describe-conformance.ts'
import { createConformingMock, mockTarget } from './mock-target.ts'

describeConformance('the mock', mockTarget())

// A deployment that captures messages if credentials are missing, like the embedded server in development.
const capturing = createConformingMock({ capture: 'missing', credentials: [] })
const { unconfigured, ...target } = mockTarget(capturing)
describeConformance('a mock that captures', { ...target, ...(unconfigured ? { unconfigured: { ...unconfigured, isCaptured: true } } : {}) })
