import type { Check, Subject } from './checks.ts'
import type { Mutant } from './mutant.ts'

/** The result of a mutant. */
export type Verdict =
  | {
      readonly outcome: 'killed'
      /** The name of the check that failed. */
      readonly by: string
      /** Whether the mutant's `killedBy` matches the check. */
      readonly isExpected: boolean
      readonly reason: string
    }
  | { readonly outcome: 'survived' }
  /**
   * The mutant says nothing about the suite: no check matches its `killedBy`, or the program did not start or did not load the
   * changed file.
   */
  | { readonly outcome: 'invalid'; readonly reason: string }

/** Thrown if a check does not end in time. */
class DeadlineExceeded extends Error {
  override readonly name = 'DeadlineExceeded'
}

/** Rejects with {@link DeadlineExceeded} if a promise is still pending after `ms` milliseconds. */
export const withDeadline = async <T>(promise: Promise<T>, ms: number): Promise<T> => {
  const deadline = Promise.withResolvers<never>()
  const timer = setTimeout(() => deadline.reject(new DeadlineExceeded(`The check did not end within ${ms / 1000} s.`)), ms)
  try {
    return await Promise.race([promise, deadline.promise])
  } finally {
    clearTimeout(timer)
  }
}

/** A program under test, with or without a mutant. */
export interface MutatedProgram extends Subject, AsyncDisposable {
  /** Starts the program. Rejects when it does not start. */
  readonly start: () => Promise<void>
  /** Returns whether the program has loaded the changed file. */
  readonly hasLoaded: () => boolean
}

/** The options of {@link runMutant}. */
export interface RunMutantOptions {
  readonly checks: readonly Check[]
  readonly createProgram: (mutant: Mutant) => MutatedProgram
  /** The maximum duration of a check, in milliseconds. */
  readonly checkTimeoutMs: number
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** Runs the checks that must detect a mutant, then the others, until one fails. */
export const runMutant = async (mutant: Mutant, { checks, createProgram, checkTimeoutMs }: RunMutantOptions): Promise<Verdict> => {
  const { expected = [], others = [] } = Object.groupBy(checks, ({ name }) => (mutant.killedBy.test(name) ? 'expected' : 'others'))
  if (expected.length === 0) return { outcome: 'invalid', reason: `No check matches the mutant's killedBy: ${mutant.killedBy}.` }
  await using program = createProgram(mutant)
  try {
    await program.start()
  } catch (error) {
    return { outcome: 'invalid', reason: messageOf(error) }
  }
  for (const check of [...expected, ...others])
    try {
      await withDeadline(check.run(program), checkTimeoutMs)
    } catch (error) {
      if (!program.hasLoaded()) break
      return { outcome: 'killed', by: check.name, isExpected: expected.includes(check), reason: messageOf(error) }
    }
  return program.hasLoaded() ? { outcome: 'survived' } : { outcome: 'invalid', reason: `The program did not load ${mutant.file}.` }
}
