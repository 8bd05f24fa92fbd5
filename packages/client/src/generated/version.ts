// Written by `generate/main.ts` from the contract. Change the contract and run `pnpm generate` instead of editing this file.

/** The version of this package. */
export const version = '0.0.0'
