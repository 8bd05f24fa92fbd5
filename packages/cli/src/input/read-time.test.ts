import { describe, expect, it } from 'vitest'
import { createTimeReader } from './read-time.ts'

const readTime = createTimeReader(() => Date.parse('2026-11-23T09:00:00Z'), -1)

describe('a time', () => {
  it.each([
    ['2h', '2026-11-23T07:00:00.000Z'],
    ['2028-02-29', '2028-02-29T00:00:00.000Z'],
    ['2026-01-01T00:30:00+02:00', '2025-12-31T22:30:00.000Z'],
    ['2026-11-23T06:15:00.123456789Z', '2026-11-23T06:15:00.123Z'],
  ])('can be %s', (text, time) => {
    expect(readTime(text)).toBe(time)
  })

  it.each(['2026-02-30', '2027-02-29', '2026-04-31T10:00:00Z', '2026-13-01', '2026-11-23T25:00:00Z', '2026-11-23T06:15:00', 'soon'])(
    'cannot be %s',
    (text) => {
      expect(() => readTime(text)).toThrow('It must be a duration, such as 2h or 7d, or a time')
    },
  )
})
