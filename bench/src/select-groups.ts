import { createHash } from 'node:crypto'
import type { BenchOptions } from './options.ts'

const rankOf = (seed: number, name: string): string => createHash('sha256').update(`${seed} ${name}`).digest('hex')

/**
 * Returns the names of the groups to measure. The same seed selects the same sample.
 * @throws TypeError if `only` names an unknown group.
 */
export const selectGroups = (
  groups: readonly string[],
  { only, sample, seed }: Pick<BenchOptions, 'only' | 'sample' | 'seed'>,
): readonly string[] => {
  const matching = only ?? groups
  const unknown = matching.filter((name) => !groups.includes(name))
  if (unknown.length > 0) throw new TypeError(`Unknown group: ${unknown.join(', ')}. Groups: ${groups.join(', ')}.`)
  const ranked = matching.toSorted((a, b) => (rankOf(seed, a) < rankOf(seed, b) ? -1 : 1))
  const selected = new Set(ranked.slice(0, sample))
  return matching.filter((name) => selected.has(name))
}
