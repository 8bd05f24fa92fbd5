import fc from 'fast-check'
import { expect, it } from 'vitest'
import { digest } from './hash.ts'

it('gives the same for the same text, and something else for a text that differs a little', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.string({ minLength: 1 }), fc.nat(), (text, more, at) => {
      const place = at % (text.length + 1)
      expect(digest(text)).toMatch(/^[0-9a-f]{32}$/)
      expect(digest(text)).toBe(digest(`${text}`))
      expect(digest(text.slice(0, place) + more + text.slice(place))).not.toBe(digest(text))
    }),
  )
})

it('tells a hundred thousand representations apart', () => {
  const seen = new Set<string>()
  for (let count = 0; count < 100_000; count += 1) seen.add(digest(JSON.stringify({ name: `project ${count}`, count })))
  expect(seen.size).toBe(100_000)
})
