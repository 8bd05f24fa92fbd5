import { it } from 'vitest'
import { expectNoDifferences } from './compare-with-mock.ts'

const { FLOWPOST_MODEL_SEED = '1', FLOWPOST_MODEL_RUNS = '1000' } = process.env

it(`returns the same responses from mock and server for ${FLOWPOST_MODEL_RUNS} random sequences`, () =>
  expectNoDifferences({ runs: Number(FLOWPOST_MODEL_RUNS), seed: Number(FLOWPOST_MODEL_SEED) }))
