import type { Mutant } from '../mutant.ts'

/** Adds a file to mutants that change it, and returns them. */
export const inFile = (file: string, mutants: readonly Omit<Mutant, 'file'>[]): Mutant[] => mutants.map((mutant) => ({ ...mutant, file }))
