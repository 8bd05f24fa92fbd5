import type { Check } from './checks.ts'
import { type Kind, kindOf, type Mutant } from './mutant.ts'
import { type MutatedProgram, runMutant, type Verdict, withDeadline } from './run-mutant.ts'

/** A mutant with its result. */
export interface MutantResult {
  readonly mutant: Mutant
  readonly verdict: Verdict
  readonly durationMs: number
}

/** The options of {@link runMutants}. */
export interface RunMutantsOptions {
  readonly mutants: readonly Mutant[]
  readonly checks: readonly Check[]
  /** Creates a program with a mutant, or without one. */
  readonly createProgram: (kind: Kind, mutant?: Mutant) => MutatedProgram
  /** The number of mutants that run at the same time. */
  readonly jobs: number
  /** The maximum duration of a check, in milliseconds. */
  readonly checkTimeoutMs: number
  /** Called after each mutant. */
  readonly onResult: (result: MutantResult) => void
}

/** Thrown if a check fails on the original program. Such a check proves nothing when it fails on a mutant. */
export class BaselineFailure extends Error {
  override readonly name = 'BaselineFailure'
}

const kinds: readonly Kind[] = ['mock', 'server']

/** Calls `work` for each item, at most `limit` at the same time. After a failure, it starts no more items. */
const forEachLimited = async <T>(items: readonly T[], limit: number, work: (item: T) => Promise<void>): Promise<void> => {
  const queue = [...items]
  const runWorker = async () => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift())
      await work(item).catch((error: unknown) => {
        queue.length = 0
        throw error
      })
  }
  const settled = await Promise.allSettled(Array.from({ length: limit }, runWorker))
  for (const result of settled) if (result.status === 'rejected') throw result.reason
}

/**
 * Runs the mutants. Each check that a mutant's `killedBy` matches must first pass on the original program. If another check
 * kills a mutant, that check must pass on the original program too.
 *
 * @throws {BaselineFailure} When a check fails on an original program.
 */
export const runMutants = async (options: RunMutantsOptions): Promise<MutantResult[]> => {
  const { mutants, checks, createProgram, jobs, checkTimeoutMs, onResult } = options
  const passed = new Set<string>()

  const verifyBaseline = async (kind: Kind, needed: readonly Check[]): Promise<void> => {
    const missing = needed.filter(({ name }) => !passed.has(`${kind} ${name}`))
    if (missing.length === 0) return
    await using program = createProgram(kind)
    await program.start()
    for (const check of missing) {
      await withDeadline(check.run(program), checkTimeoutMs).catch((cause: unknown) => {
        throw new BaselineFailure(`A check fails on the original ${kind}: ${check.name}`, { cause })
      })
      passed.add(`${kind} ${check.name}`)
    }
  }

  const verifyExpected = (kind: Kind): Promise<void> => {
    const ofKind = mutants.filter((mutant) => kindOf(mutant) === kind)
    return verifyBaseline(
      kind,
      checks.filter(({ name }) => ofKind.some(({ killedBy }) => killedBy.test(name))),
    )
  }
  await forEachLimited(kinds, jobs, verifyExpected)

  const results = new Map<Mutant, MutantResult>()
  await forEachLimited(mutants, jobs, async (mutant) => {
    const startedMs = performance.now()
    const kind = kindOf(mutant)
    const verdict = await runMutant(mutant, { checks, checkTimeoutMs, createProgram: () => createProgram(kind, mutant) })
    const unexpected = verdict.outcome === 'killed' && !verdict.isExpected ? checks.filter(({ name }) => name === verdict.by) : []
    await verifyBaseline(kind, unexpected)
    const result = { mutant, verdict, durationMs: performance.now() - startedMs }
    results.set(mutant, result)
    onResult(result)
  })
  return mutants.flatMap((mutant) => results.get(mutant) ?? [])
}
