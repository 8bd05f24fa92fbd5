import fc from 'fast-check'
import { describe, it } from 'vitest'
import { compareTargets, drawSteps } from '../../src/conformance/model/index.ts'
import { startMockServer } from '../../src/server.ts'
import { createModelMock, modelTarget } from './model-target.ts'

describe('a thousand random sequences of requests', () => {
  it('get the same responses from the mock and the mock server', async () => {
    const [direct, served] = [createModelMock(1), createModelMock(2)]
    await using server = await startMockServer(served)
    const targets = [modelTarget('mock', direct), modelTarget('mock server', served, { baseUrl: server.url, fetch })] as const
    await fc.assert(
      fc.asyncProperty(drawSteps({ maxSteps: 60 }), (steps) => compareTargets(targets, steps)),
      { numRuns: 1_000 },
    )
  })
})
