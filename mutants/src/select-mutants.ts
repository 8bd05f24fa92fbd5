import { createHash } from 'node:crypto'
import type { Mutant } from './mutant.ts'
import type { MutantOptions } from './options.ts'

const rankOf = (seed: number, { name }: Mutant): string => createHash('sha256').update(`${seed} ${name}`).digest('hex')

/** Returns the mutants of a run in the order of the catalog. The same seed selects the same sample. */
export const selectMutants = (mutants: readonly Mutant[], { only, sample, seed }: Pick<MutantOptions, 'only' | 'sample' | 'seed'>) => {
  const matching = mutants.filter(({ name, file }) => only === undefined || only.test(name) || only.test(file))
  if (sample === undefined) return matching
  const ranked = matching.map((mutant) => ({ mutant, rank: rankOf(seed, mutant) })).sort((a, b) => (a.rank < b.rank ? -1 : 1))
  const selected = new Set(ranked.slice(0, sample).map(({ mutant }) => mutant))
  return matching.filter((mutant) => selected.has(mutant))
}
