import { it } from 'vitest'
import { compareWithMock } from './compare-with-mock.ts'

it('mock and server give the same answers over 25 random sequences', () => compareWithMock({ sequences: 25, seed: 20261121 }), 120_000)
