import type { AppRouter } from '@ts-rest/core'
import { emitOperations } from './emit-operations.ts'
import { emitRoutes } from './emit-routes.ts'
import { emitTypeTests } from './emit-type-tests.ts'
import { emitTypes } from './emit-types.ts'
import { format } from './format.ts'
import { createModel } from './model.ts'
import { walk } from './walk.ts'

const header =
  '// Written by `generate/main.ts` from the contract. Change the contract and run `pnpm generate` instead of editing this file.\n'

/** Generates the unformatted source of each file. The keys are paths within this package. */
export const generateSources = (contract: AppRouter, version: string): ReadonlyMap<string, string> => {
  const model = createModel(walk(contract))
  return new Map([
    ['src/generated/types.ts', emitTypes(model)],
    ['src/generated/operations.ts', emitOperations(model)],
    ['src/generated/routes.ts', emitRoutes(model)],
    ['src/generated/version.ts', `/** The version of this package. */\nexport const version = '${version}'`],
    ['test/generated/contract.test-d.ts', emitTypeTests(model)],
  ])
}

/** Generates and formats the source of each file. The keys are paths within this package. */
export const generate = (contract: AppRouter, version: string): ReadonlyMap<string, string> =>
  new Map([...generateSources(contract, version)].map(([path, source]) => [path, format(`${header}\n${source}\n`)]))
