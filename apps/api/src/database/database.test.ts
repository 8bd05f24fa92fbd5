import { expect, it } from 'vitest'
import { timestamp } from './database.ts'

it.each([
  ['2026-11-21 09:30:00+00', '2026-11-21T09:30:00.000Z'],
  ['2026-11-21 09:30:00.5+00', '2026-11-21T09:30:00.500Z'],
  ['2026-11-21 09:30:00.123+00', '2026-11-21T09:30:00.123Z'],
  ['2026-11-21 09:30:00.12+05:30', '2026-11-21T04:00:00.120Z'],
  ['2026-11-21 09:30:00.12+01', '2026-11-21T08:30:00.120Z'],
])('writes the instant %s as the wire has it', (stored, wire) => {
  expect(timestamp(stored)).toBe(wire)
  expect(timestamp(new Date(wire))).toBe(wire)
  expect(timestamp(wire)).toBe(wire)
})
