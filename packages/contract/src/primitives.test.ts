import { describe, expect, it } from 'vitest'
import { Text } from './primitives.ts'

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
