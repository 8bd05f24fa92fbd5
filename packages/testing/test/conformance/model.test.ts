import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compareTargets, drawSteps, type ModelTarget } from '../../src/conformance/model/index.ts'
import { createFlowpostMock, type FlowpostMock } from '../../src/index.ts'
import { startMockServer } from '../../src/server.ts'

const createMock = (seed: number) => createFlowpostMock({ seed, capture: 'missing', credentials: ['slack'] })

const modelTarget = (name: string, mock: FlowpostMock, over: Partial<ModelTarget> = {}): ModelTarget => ({
  name,
  baseUrl: mock.baseUrl,
  apiKey: mock.apiKey,
  fetch: mock.fetch,
  tick: () => mock.clock.advance(1),
  ...over,
})

describe('random sequences of requests', () => {
  it('are answered alike by the mock and by the mock on a real port', async () => {
    const [direct, served] = [createMock(1), createMock(2)]
    await using server = await startMockServer(served)
    const { fetch: _, ...overHttp } = modelTarget('mock server', served, { baseUrl: server.url })
    await fc.assert(
      fc.asyncProperty(drawSteps(), async (steps) => compareTargets([modelTarget('mock', direct), overHttp], steps)),
      { numRuns: 25, seed: 20261121 },
    )
  }, 60_000)
})
