import type { Mutant } from '../mutant.ts'

/** Returns the mutants of one file. */
export const inFile = (file: string, mutants: readonly Omit<Mutant, 'file'>[]): Mutant[] => mutants.map((mutant) => ({ ...mutant, file }))
