import fc from 'fast-check'
import { createFlowpostMock } from '../../mock.ts'
import type { ConformanceTarget, Receiver } from '../target.ts'
import { compareTargets, ModelDifference } from './compare.ts'
import { readDeployment } from './deployment.ts'
import { drawSteps } from './draw-steps.ts'
import { respectRateLimit } from './rate-limit.ts'
import type { ModelTarget, Step, TargetClock } from './sequence.ts'

/** The server to compare with the mock. The API key's user must have no projects. */
export interface ComparedServer extends Pick<ConformanceTarget, 'baseUrl' | 'apiKey' | 'fetch' | 'receiver' | 'mayDeliver'> {
  /** The server's clock. Without a clock, steps that advance the time are skipped. */
  readonly clock?: TargetClock
}

/** Options for {@link compareWithMock}. */
export interface ComparisonOptions {
  /**
   * The number of request sequences to run.
   * @default 100
   */
  readonly runs?: number
  /**
   * Maximum number of steps per sequence. Up to four additional steps at the start create resources.
   * @default 30
   */
  readonly maxSteps?: number
  /** The seed for generating the sequences. Defaults to a random seed. */
  readonly seed?: number
  /**
   * The `failure.path` of an earlier result. If `seed` and `maxSteps` are the same as for that result, the sequence that failed
   * there runs first.
   */
  readonly path?: string
}

/** The result of a comparison. */
export interface ComparisonResult {
  readonly seed: number
  /** The number of sequences that ran, not counting shorter variants of the failed sequence. */
  readonly runs: number
  /** The first difference in the shortest failing sequence that was found. Omitted if there is none. */
  readonly failure?: {
    /** The value of {@link ComparisonOptions.path} that reproduces the difference. */
    readonly path: string
    readonly steps: readonly Step[]
    /** A description of the difference, and the sequence as JSON. */
    readonly message: string
  }
}

const defaultReceiver: Receiver = { source_type: 'smtp', target: 'conformance@example.com' }

const sleep = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms))

const randomSeed = (): number => (crypto.getRandomValues(new Uint32Array(1))[0] ?? 0) & 0x7fffffff

/**
 * Removes, one by one, the steps that are not needed to reproduce the difference. fast-check's shrinking leaves some of
 * them, because it removes some steps only together with others.
 */
const removeSteps = async (targets: readonly [ModelTarget, ModelTarget], found: ModelDifference): Promise<ModelDifference> => {
  let shortest = found
  for (let index = found.steps.length - 1; index >= 0; index -= 1) {
    const steps = shortest.steps.toSpliced(index, 1)
    const remaining = await compareTargets(targets, steps).catch((error: unknown) => error)
    if (remaining instanceof ModelDifference) shortest = remaining
    else if (remaining !== undefined) break
  }
  return shortest
}

/**
 * Sends random sequences of requests to a server and to a mock with the same settings, and compares the responses.
 * Deletes the projects and API keys that the sequences create. The delivery log remains. Unless `mayDeliver` is set, all
 * messages are scheduled days ahead and canceled. If it is set, a deployment with credentials delivers messages, but only
 * to `receiver`.
 *
 * @throws {UnsuitableTarget} If the API key is rejected, is bound to a project, or belongs to a user with projects. Also
 * thrown if the deployment does not store message content, has providers that the mock does not support, or rejects a
 * request that is needed to determine its settings (for example, because the key lacks a scope).
 */
export const compareWithMock = async (server: ComparedServer, options: ComparisonOptions = {}): Promise<ComparisonResult> => {
  const { runs = 100, seed = randomSeed(), path, maxSteps } = options
  const { fetch = (input, init) => globalThis.fetch(input, init), mayDeliver = false } = server
  const target = { ...server, fetch: respectRateLimit(fetch, sleep), mayDeliver }
  const { mockOptions, isSilent, omittedOperations } = await readDeployment(target)
  const mock = createFlowpostMock(mockOptions)
  const targets: readonly [ModelTarget, ModelTarget] = [
    {
      name: 'mock',
      baseUrl: mock.baseUrl,
      apiKey: mock.apiKey,
      fetch: mock.fetch,
      tick: () => mock.clock.advance(1),
      clock: mock.clock,
      mayDeliver: true,
    },
    { ...target, name: 'server', tick: () => sleep(2) },
  ]
  const receiver = mayDeliver && !isSilent ? (server.receiver ?? defaultReceiver) : undefined
  // `integrations.put` stores invalid credentials. They would prevent deliveries to the receiver.
  const omitted = receiver ? [...omittedOperations, 'integrations.put'] : omittedOperations
  const sequences = drawSteps({ ...(maxSteps === undefined ? {} : { maxSteps }), receiver }).map((steps) =>
    steps.filter(({ operation }) => !omitted.includes(operation)),
  )

  // The first error that is not a `ModelDifference`. The remaining sequences are then skipped, and the error is thrown after
  // `fc.check`. If the property threw it, fast-check would waste time searching for a shorter sequence.
  let fatal: { readonly error: unknown } | undefined
  const property = fc.asyncProperty(sequences, async (steps) => {
    if (fatal) return
    await compareTargets(targets, steps).catch((error: unknown) => {
      if (error instanceof ModelDifference) throw error
      fatal = { error }
    })
  })
  const details = await fc.check(property, { numRuns: runs, seed, ...(path === undefined ? {} : { path }) })
  if (fatal) throw (fatal as { readonly error: unknown }).error
  if (!details.failed) return { seed, runs: details.numRuns }
  const { errorInstance, counterexamplePath } = details
  if (!(errorInstance instanceof ModelDifference)) throw errorInstance
  const difference = await removeSteps(targets, errorInstance)
  return {
    seed,
    runs: details.numRuns,
    failure: { path: counterexamplePath ?? '', steps: difference.steps, message: difference.message },
  }
}
