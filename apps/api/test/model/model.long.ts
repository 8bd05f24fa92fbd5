import { it } from 'vitest'
import { expectNoDifferences } from './compare-with-mock.ts'

it(
  'returns the same responses from mock and server for 8 random sequences',
  () => expectNoDifferences({ runs: 8, seed: 20261121 }),
  120_000,
)
