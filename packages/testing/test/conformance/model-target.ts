import type { ModelTarget } from '../../src/conformance/model/index.ts'
import { createFlowpostMock, type FlowpostMock, type MockOptions } from '../../src/index.ts'

/** A mock that captures everything, as the embedded server does in development. */
export const createModelMock = (seed: number, options: MockOptions = {}): FlowpostMock =>
  createFlowpostMock({ seed, capture: 'missing', credentials: [], ...options })

/** A mock as one side of a comparison. */
export const modelTarget = (name: string, mock: FlowpostMock, over: Partial<ModelTarget> = {}): ModelTarget => ({
  name,
  baseUrl: mock.baseUrl,
  apiKey: mock.apiKey,
  fetch: mock.fetch,
  tick: () => mock.clock.advance(1),
  ...over,
})
