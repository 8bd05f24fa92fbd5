import { describeConformance } from './describe-conformance.ts'
import { capturingMockTarget, mockTarget } from './mock-target.ts'

describeConformance('the mock', mockTarget())

// A deployment that captures messages if credentials are missing, like the embedded server in development.
describeConformance('a mock that captures', capturingMockTarget())
