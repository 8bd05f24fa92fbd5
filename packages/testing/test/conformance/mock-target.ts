import type { ConformanceTarget } from '../../src/conformance/index.ts'
import { createFlowpostMock, type FlowpostMock, type MockOptions } from '../../src/index.ts'

/** A mock whose deployment has no credentials for Slack, and what the conformance suite needs to know of it. */
export const createConformingMock = (options: MockOptions = {}): FlowpostMock =>
  createFlowpostMock({ credentials: ['smtp', 'mailgun'], ...options })

/** The mock as a target of the conformance suite. */
export const mockTarget = (mock = createConformingMock(), over: Partial<ConformanceTarget> = {}): ConformanceTarget => ({
  baseUrl: mock.baseUrl,
  apiKey: mock.apiKey,
  otherApiKey: mock.seed.apiKey({ user: 'bob' }),
  fetch: mock.fetch,
  mayDeliver: true,
  unconfigured: {
    source_type: 'slack',
    target: 'C024BE91L',
    settings: {},
    secrets: { token: 'xoxb-conformance' },
    isCaptured: false,
  },
  ...over,
})
