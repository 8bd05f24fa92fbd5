import { setTimeout as sleep } from 'node:timers/promises'
import { createFlowpostMock } from '@flowpost/testing'
import { compareTargets, drawSteps, type ModelTarget } from '@flowpost/testing/conformance/model'
import fc from 'fast-check'
import { modelEnvironment } from '../support/model-environment.ts'
import { startTestServer } from '../support/test-server.ts'

/** Runs random sequences of operations against the server and the mock, and fails if any of their responses differ. */
export const compareWithMock = async (options: { sequences: number; seed: number }): Promise<void> => {
  await using server = await startTestServer({ env: modelEnvironment })
  const mock = createFlowpostMock({ capture: 'missing', credentials: [] })
  const left: ModelTarget = {
    name: 'mock',
    baseUrl: mock.baseUrl,
    apiKey: mock.apiKey,
    fetch: mock.fetch,
    tick: async () => {
      await mock.clock.advance(1)
    },
  }
  const right: ModelTarget = { name: 'server', baseUrl: server.url, apiKey: server.keys.alice, tick: () => sleep(2) }
  await fc.assert(
    fc.asyncProperty(drawSteps(), (steps) => compareTargets([left, right], steps)),
    { numRuns: options.sequences, seed: options.seed },
  )
}
