import { type ComparedServer, compareWithMock, type TargetClock } from '@flowpost/testing/conformance/model'
import { startTestServer } from '../support/test-server.ts'

/**
 * Runs random sequences of operations against the server and the mock, and fails if any of their responses differ.
 *
 * @param deployment.env The settings of the server besides those that the comparison requires.
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
    env: {
      FLOWPOST_RATE_LIMIT: 'off',
      FLOWPOST_TRUST_PROXY: '1',
      FLOWPOST_ENCRYPTION_KEY: `test:${Buffer.alloc(32, 1).toString('base64')}`,
      ...deployment.env,
    },
  })
  let requests = 0
  // Each request comes from another address, because the sequences use more revoked keys than an address may.
  const fetchFromAnywhere = (input: string, init: RequestInit): Promise<Response> => {
    requests += 1
    const address = `10.${(requests >> 16) & 255}.${(requests >> 8) & 255}.${requests & 255}`
    return fetch(input, { ...init, headers: { ...(init.headers as Record<string, string>), 'x-forwarded-for': address } })
  }
  const { env: _, ...delivery } = deployment
  const target = { baseUrl: server.url, apiKey: server.keys.alice, fetch: fetchFromAnywhere, clock, ...delivery }
  const { failure } = await compareWithMock(target, options)
  if (failure) throw new Error(`seed ${options.seed}, path ${failure.path}: ${failure.message}`)
}
