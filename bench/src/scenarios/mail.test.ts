import { describe, expect, it } from 'vitest'
import { arrivalRate, arrivals } from './mail.ts'

const accepted = (...numbers: number[]) => ({
  atMs: Float64Array.from(numbers, (_, place) => 1000 + place),
  recipients: numbers.map((number) => `n${String(number).padStart(6, '0')}@example.com`),
})

describe('arrivals', () => {
  it('are in the order of the message numbers', () => {
    expect([...arrivals(accepted(2, 0, 1), 3)]).toEqual([1001, 1002, 1000])
  })

  it('throw when a message is missing', () => {
    expect(() => arrivals(accepted(0, 2), 3)).toThrow(/2 arrived/)
  })

  it('throw when a message arrived twice, even in place of another', () => {
    expect(() => arrivals(accepted(0, 1, 1), 3)).toThrow(/2 different recipients/)
    expect(() => arrivals(accepted(0, 1, 2, 2), 3)).toThrow(/4 arrived/)
  })
})

it('computes the rate from the first arrival to the last, in any order', () => {
  expect(arrivalRate(Float64Array.of(2000, 1000, 1500))).toBe(2)
})
