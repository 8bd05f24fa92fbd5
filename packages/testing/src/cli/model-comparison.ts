import type { ConformanceTarget } from '../conformance/index.ts'
import type { ComparisonOptions, ComparisonResult } from '../conformance/model/index.ts'

/** An error that the command prints without a stack trace. */
export class CommandError extends Error {
  override readonly name = 'CommandError'
}

/**
 * Returns the shell command that repeats the sequence of requests for which the server and the mock differed. Omits the
 * API key, so the key must be set in the environment when the command runs.
 */
const reproduction = ({ baseUrl, mayDeliver, receiver }: ConformanceTarget, { maxSteps }: ComparisonOptions, seed: number, path: string) =>
  [
    `npx flowpost-conformance --model --base-url ${baseUrl} --seed ${seed} --path ${path}`,
    ...(maxSteps === undefined ? [] : [`--steps ${maxSteps}`]),
    ...(mayDeliver ? ['--deliver'] : []),
    ...(receiver ? [`--receiver '${receiver.source_type}:${receiver.target}'`] : []),
  ].join(' ')

/** Returns instructions to install fast-check if the error means that this optional package is missing. */
const missingPackage = (error: unknown): string | undefined =>
  error instanceof Error && (error as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND' && error.message.includes("'fast-check'")
    ? '--model requires fast-check. Install it: npm install --save-dev fast-check'
    : undefined

const loadComparison = async () => {
  try {
    return await import('../conformance/model/index.ts')
  } catch (error) {
    throw missingPackage(error) === undefined ? error : new CommandError(missingPackage(error))
  }
}

const count = (number: number): string => `${number} ${number === 1 ? 'sequence' : 'sequences'}`

/**
 * Compares a server with the mock and prints the result.
 *
 * @returns The exit code: 0 if there is no difference, otherwise 1.
 * @throws {CommandError} When fast-check is missing, or the server or the API key is not suitable for a comparison.
 */
export const runComparison = async (
  target: ConformanceTarget,
  options: ComparisonOptions,
  print: (line: string) => void,
): Promise<number> => {
  const { compareWithMock, UnsuitableTarget } = await loadComparison()
  const { seed, runs, failure }: ComparisonResult = await compareWithMock(target, options).catch((error: unknown) => {
    throw error instanceof UnsuitableTarget ? new CommandError(error.message) : error
  })
  if (!failure) {
    print(`${count(runs)} compared, no differences (seed ${seed})`)
    return 0
  }
  print(`DIFFERENT  after ${count(runs)}, seed ${seed}`)
  print(failure.message)
  print(`To repeat the failed sequence: ${reproduction(target, options, seed, failure.path)}`)
  return 1
}
