import { type IdKind, idPattern, idPrefixes } from '@flowpost/contract'
import { expect, it } from 'vitest'
import { createIdGenerator, createRandom, createTokens, digest } from './deterministic.ts'

it('generates the same uniform numbers in [0, 1) for the same seed', () => {
  const [one, same, other] = [createRandom(5), createRandom(5), createRandom(6)]
  const numbers = Array.from({ length: 20_000 }, one)
  expect(numbers.slice(0, 100)).toEqual(Array.from({ length: 100 }, same))
  expect(numbers.slice(0, 100)).not.toEqual(Array.from({ length: 100 }, other))
  for (const number of numbers) expect(number >= 0 && number < 1).toBe(true)
  const mean = numbers.reduce((sum, number) => sum + number, 0) / numbers.length
  expect(mean).toBeGreaterThan(0.48)
  expect(mean).toBeLessThan(0.52)
})

it('generates UUIDs of version 4 and secrets of 256 bits', () => {
  const tokens = createTokens(createRandom(1))
  expect(tokens.uuid()).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  expect(tokens.secret()).toMatch(/^[\w-]{43}$/)
  expect(tokens.secret()).not.toBe(tokens.secret())
})

import fc from 'fast-check'

const kind = fc.constantFrom(...(Object.keys(idPrefixes) as IdKind[]))

it('generates valid ids in sort order', () => {
  fc.assert(
    fc.property(fc.integer(), fc.array(fc.nat({ max: 5_000 }), { minLength: 2, maxLength: 50 }), kind, (seed, steps, of) => {
      let now = Date.UTC(2026, 0, 1)
      const generateId = createIdGenerator(() => now, createRandom(seed))
      const made = steps.map((step) => {
        now += step
        return generateId(of)
      })
      for (const id of made) expect(id).toMatch(idPattern(of))
      expect(made.toSorted()).toEqual(made)
      expect(new Set(made).size).toBe(made.length)
    }),
  )
})

it('encodes the time and the version of a UUIDv7 in ids', () => {
  const now = Date.UTC(2026, 10, 21, 10)
  const id = createIdGenerator(() => now, createRandom(1))('project')
  const bits = [...id.slice('prj_'.length)].map((digit) => '0123456789abcdefghjkmnpqrstvwxyz'.indexOf(digit))
  const uuid = bits.reduce((sum, value) => (sum << 5n) | BigInt(value), 0n)
  expect(Number(uuid >> 80n)).toBe(now)
  expect((uuid >> 76n) & 15n).toBe(7n)
  expect((uuid >> 62n) & 3n).toBe(2n)
})

it('generates the same ids for the same seed and time', () => {
  const ids = () => {
    const generateId = createIdGenerator(() => 0, createRandom(7))
    return [generateId('flow'), generateId('flow'), generateId('delivery')]
  }
  expect(ids()).toEqual(ids())
  expect(new Set(ids()).size).toBe(3)
})

it('returns equal digests only for equal strings', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.string({ minLength: 1 }), fc.nat(), (text, more, at) => {
      const place = at % (text.length + 1)
      expect(digest(text)).toMatch(/^[0-9a-f]{32}$/)
      expect(digest(text)).toBe(digest(`${text}`))
      expect(digest(text.slice(0, place) + more + text.slice(place))).not.toBe(digest(text))
    }),
  )
})

it('returns different digests for 100,000 different representations', () => {
  const seen = new Set<string>()
  for (let count = 0; count < 100_000; count += 1) seen.add(digest(JSON.stringify({ name: `project ${count}`, count })))
  expect(seen.size).toBe(100_000)
})
