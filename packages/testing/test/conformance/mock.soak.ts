import { describeConformance } from './describe-conformance.ts'
import { capturingMockTarget } from './mock-target.ts'

describeConformance('a mock that captures', capturingMockTarget())
