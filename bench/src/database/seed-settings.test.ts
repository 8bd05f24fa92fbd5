import { expect, it } from 'vitest'
import { shuffled } from './seed-settings.ts'

it('returns every number once, in the same shuffled order each time', () => {
  const order = shuffled(1000)
  expect(order).toEqual(shuffled(1000))
  expect(order.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 1000 }, (_, index) => index))
  expect(order.filter((number, index) => number === index).length).toBeLessThan(50)
})
