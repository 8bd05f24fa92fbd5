import { describeCapture, describeConformance, describeScenariosWith } from './describe-conformance.ts'
import { capturingMockTarget, mockTarget, smallQueueTarget } from './mock-target.ts'

describeConformance('the mock', mockTarget())

// A deployment that captures messages if credentials are missing, like the embedded server in development.
describeCapture('a mock that captures', capturingMockTarget())

describeScenariosWith('queueLimit', 'a mock with a small queue', smallQueueTarget())
