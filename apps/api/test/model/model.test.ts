import { it } from 'vitest'
import { expectNoDifferences } from './compare-with-mock.ts'

it(
  'returns the same responses from mock and server for 25 random sequences',
  () => expectNoDifferences({ runs: 25, seed: 20261121 }),
  120_000,
)
