import type { ConformanceTarget } from '../../src/conformance/index.ts'
import { createFlowpostMock, type FlowpostMock, type MockOptions } from '../../src/index.ts'

/** Creates a mock whose deployment has no credentials for Slack. */
export const createConformingMock = (options: MockOptions = {}): FlowpostMock =>
  createFlowpostMock({ credentials: ['smtp', 'mailgun'], ...options })

/** Creates a conformance target from a mock. */
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

/** Creates a conformance target from a mock that captures messages if credentials are missing. */
export const capturingMockTarget = (mock = createConformingMock({ capture: 'missing', credentials: [] })): ConformanceTarget => {
  const { unconfigured, ...target } = mockTarget(mock)
  return { ...target, ...(unconfigured ? { unconfigured: { ...unconfigured, isCaptured: true } } : {}) }
}

/**
 * The queue limit of {@link smallQueueTarget}. Each user may queue three deliveries: half of this limit, rounded up. If one
 * user has queued three, another user's third delivery exceeds this limit, but not the limit per user.
 */
export const smallQueueLimit = 5

/** Creates a conformance target from a mock with a small queue. */
export const smallQueueTarget = (mock = createConformingMock({ queueLimit: smallQueueLimit })): ConformanceTarget => {
  const { unconfigured: _, ...target } = mockTarget(mock)
  return { ...target, queueLimit: smallQueueLimit }
}
