import { it } from 'vitest'
import { compareWithMock } from './compare-with-mock.ts'

const seed = Number(process.env['FLOWPOST_MODEL_SEED'] ?? 1)

it('mock and server give the same answers over 1,000 random sequences', () => compareWithMock({ sequences: 1_000, seed }))
