import { describe, expect, it } from 'vitest'
import { Text, Time } from './primitives.ts'

const name = Text({ max: 255, normalize: true })

describe('a text that is normalized to NFC', () => {
  it('rejects a long run of combining marks quickly', () => {
    const startedAt = performance.now()
    const result = name.safeParse(`a${'\u0301'.repeat(200_000)}${'\u0316'.repeat(200_000)}`)
    expect(result.error?.issues).toMatchObject([{ params: { code: 'too_long' } }])
    // Normalizing the text would take minutes.
    expect(performance.now() - startedAt).toBeLessThan(5_000)
  })

  it('can be four times as long before normalization', () => {
    const decomposed = '\u03b1\u0313\u0300\u0345'
    expect(name.parse(decomposed.repeat(255))).toBe('\u1f82'.repeat(255))
    expect(name.safeParse(decomposed.repeat(256)).success).toBe(false)
  })
})

describe('a time in a request', () => {
  it('can have any offset and precision', () => {
    for (const time of ['2026-01-01T00:00:00Z', '2026-01-01T00:00:00.123456+05:30']) expect(Time().safeParse(time).data).toBe(time)
  })

  it('that is malformed is rejected with an example of a valid one', () => {
    const messageOf = (value: unknown) => Time().safeParse(value).error?.issues[0]?.message
    for (const time of ['2026-01-01t00:00:00z', '2026-01-01', '2026-01-01T00:00:00'])
      expect(messageOf(time)).toBe('Must be an RFC 3339 timestamp, such as `2026-11-21T09:30:00Z`.')
    expect(messageOf(1)).toBe('Invalid input: expected string, received number')
  })
})
