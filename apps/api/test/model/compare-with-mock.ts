import { type ComparedServer, compareWithMock, type TargetClock } from '@flowpost/testing/conformance/model'
import { createFetchFromAnywhere, modelEnvironment } from '../support/model-environment.ts'
import { startTestServer } from '../support/test-server.ts'

/**
 * Runs random sequences of operations against the server and the mock, and fails if any of their responses differ.
 *
 * @param deployment.env Environment variables for the server, in addition to those that the comparison requires.
 */
export const expectNoDifferences = async (
  options: { runs: number; seed: number },
  deployment: { env?: Readonly<Record<string, string>> } & Pick<ComparedServer, 'mayDeliver' | 'receiver'> = { mayDeliver: true },
): Promise<void> => {
  let offsetMs = 0
  const clock: TargetClock = {
    now: () => Date.now() + offsetMs,
    advance: async (ms) => {
      offsetMs += ms
    },
  }
  await using server = await startTestServer({
    clock: { now: () => new Date(clock.now()) },
    env: { ...modelEnvironment, ...deployment.env },
  })
  const { env: _, ...delivery } = deployment
  const target = { baseUrl: server.url, apiKey: server.keys.alice, fetch: createFetchFromAnywhere(), clock, ...delivery }
  const { failure } = await compareWithMock(target, options)
  if (failure) throw new Error(`seed ${options.seed}, path ${failure.path}: ${failure.message}`)
}
