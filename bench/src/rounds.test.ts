import { expect, it } from 'vitest'
import { interleave } from './rounds.ts'

it('measures the sides in turn, every other round in reverse, and drops the warm-up round', async () => {
  const order: string[] = []
  const side = (name: string, value: number) => async () => {
    order.push(name)
    return value + order.length
  }
  const seen: unknown[] = []
  const measured = await interleave(2, { a: side('a', 100), b: side('b', 200) }, (round, values) => seen.push([round, values]))

  expect(order).toEqual(['a', 'b', 'b', 'a', 'a', 'b'])
  expect(measured).toEqual({ a: [104, 105], b: [203, 206] })
  expect(seen).toEqual([
    [0, { a: 101, b: 202 }],
    [1, { a: 104, b: 203 }],
    [2, { a: 105, b: 206 }],
  ])
})

it('rejects when a measurement fails', async () => {
  const failing = interleave(2, { a: async () => 1, b: () => Promise.reject(new Error('no answer')) })
  await expect(failing).rejects.toThrow('no answer')
})
