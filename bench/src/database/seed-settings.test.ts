import { expect, it } from 'vitest'
import { shuffled } from './seed-settings.ts'

it('shuffles to the same order each time, with every number in it once', () => {
  const order = shuffled(1000)
  expect(order).toEqual(shuffled(1000))
  expect(order.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 1000 }, (_, index) => index))
  expect(order.filter((number, index) => number === index).length).toBeLessThan(50)
})
