import type { ModelTarget } from '../../src/conformance/model/index.ts'
import { createFlowpostMock, type FlowpostMock, type MockOptions } from '../../src/index.ts'

/** Creates a mock that captures all messages, like the embedded server in development. */
export const createModelMock = (seed: number, options: MockOptions = {}): FlowpostMock =>
  createFlowpostMock({ seed, capture: 'missing', credentials: [], ...options })

/** Creates a model target from a mock. */
export const modelTarget = (name: string, mock: FlowpostMock, over: Partial<ModelTarget> = {}): ModelTarget => ({
  name,
  baseUrl: mock.baseUrl,
  apiKey: mock.apiKey,
  fetch: mock.fetch,
  tick: () => mock.clock.advance(1),
  clock: mock.clock,
  mayDeliver: true,
  ...over,
})
