import type { Mutant } from '../mutant.ts'

/** Returns mutants of one file, with the field `file` added to each. */
export const inFile = (file: string, mutants: readonly Omit<Mutant, 'file'>[]): Mutant[] => mutants.map((mutant) => ({ ...mutant, file }))
