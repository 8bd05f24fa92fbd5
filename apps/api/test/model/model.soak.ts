import { it } from 'vitest'
import { compareWithMock } from './compare-with-mock.ts'

const seed = Number(process.env['FLOWPOST_MODEL_SEED'] ?? 1)

it('returns the same responses from mock and server for 1,000 random sequences', () => compareWithMock({ sequences: 1_000, seed }))
