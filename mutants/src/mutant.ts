/** A small bug in a file of the server, the mock, or the rules that both use. The conformance suite must detect it. */
export interface Mutant {
  /** A unique name that says what the bug does, such as `a PATCH ignores If-Match`. */
  readonly name: string
  /** The path of the file, relative to the root of the repository. */
  readonly file: string
  /** The text to replace. It must occur exactly once in the file. */
  readonly find: string
  readonly replace: string
  /** Matches the names of the checks that must detect the bug. These checks run first. */
  readonly killedBy: RegExp
}

/** The program that a mutant changes. */
export type Kind = 'server' | 'mock'

/** Returns the program in which a mutant runs. A mutant in a file that both programs use runs in the server. */
export const kindOf = ({ file }: Pick<Mutant, 'file'>): Kind => (file.startsWith('packages/testing/') ? 'mock' : 'server')

/** Thrown if the text that a mutant replaces is missing from the file, or occurs more than once. */
export class UnmatchedMutant extends Error {
  override readonly name = 'UnmatchedMutant'
}

/**
 * Returns the source of a file with the mutant's bug.
 *
 * @throws {UnmatchedMutant} If the text to replace is missing, or occurs more than once.
 */
export const applyMutant = (source: string, mutant: Pick<Mutant, 'name' | 'file' | 'find' | 'replace'>): string => {
  const { name, file, find, replace } = mutant
  const parts = source.split(find)
  if (parts.length === 2) return parts.join(replace)
  const problem = parts.length === 1 ? 'is not in the file' : `occurs ${parts.length - 1} times in the file`
  throw new UnmatchedMutant(
    `The mutant "${name}" no longer fits ${file}: its text \`find\` ${problem}. Update the mutant in mutants/src/catalog, so that it describes the same bug in the current code:\n${find}`,
  )
}
