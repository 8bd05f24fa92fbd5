import { it } from 'vitest'
import { compareWithMock } from './compare-with-mock.ts'

it(
  'returns the same responses from mock and server for 25 random sequences',
  () => compareWithMock({ sequences: 25, seed: 20261121 }),
  120_000,
)
