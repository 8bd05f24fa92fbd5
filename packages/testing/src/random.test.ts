import { expect, it } from 'vitest'
import { createRandom, createWords } from './random.ts'

it('gives the same numbers for the same seed, spread evenly from 0 up to 1', () => {
  const [one, same, other] = [createRandom(5), createRandom(5), createRandom(6)]
  const numbers = Array.from({ length: 20_000 }, one)
  expect(numbers.slice(0, 100)).toEqual(Array.from({ length: 100 }, same))
  expect(numbers.slice(0, 100)).not.toEqual(Array.from({ length: 100 }, other))
  for (const number of numbers) expect(number >= 0 && number < 1).toBe(true)
  const mean = numbers.reduce((sum, number) => sum + number, 0) / numbers.length
  expect(mean).toBeGreaterThan(0.48)
  expect(mean).toBeLessThan(0.52)
})

it('makes UUIDs of version 4 and secrets of 256 bits', () => {
  const words = createWords(createRandom(1))
  expect(words.uuid()).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  expect(words.secret()).toMatch(/^[\w-]{43}$/)
  expect(words.secret()).not.toBe(words.secret())
})
