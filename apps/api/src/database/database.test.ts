import { expect, it } from 'vitest'
import { timestamp } from './database.ts'

it.each([
  ['2026-11-21 09:30:00+00', '2026-11-21T09:30:00.000Z'],
  ['2026-11-21 09:30:00.5+00', '2026-11-21T09:30:00.500Z'],
  ['2026-11-21 09:30:00.123+00', '2026-11-21T09:30:00.123Z'],
  ['2026-11-21 09:30:00.12+05:30', '2026-11-21T04:00:00.120Z'],
  ['2026-11-21 09:30:00.12+01', '2026-11-21T08:30:00.120Z'],
])('formats %s as in the API', (stored, formatted) => {
  expect(timestamp(stored)).toBe(formatted)
  expect(timestamp(new Date(formatted))).toBe(formatted)
  expect(timestamp(formatted)).toBe(formatted)
})
