import { describe, expect, it } from 'vitest'
import { arrivalRate, arrivals } from './mail.ts'

const accepted = (...numbers: number[]) => ({
  atMs: Float64Array.from(numbers, (_, place) => 1000 + place),
  receivers: numbers.map((number) => `n${String(number).padStart(6, '0')}@example.com`),
})

describe('arrivals', () => {
  it('are told by the number of the message, in whatever order they came', () => {
    expect([...arrivals(accepted(2, 0, 1), 3)]).toEqual([1001, 1002, 1000])
  })

  it('are refused when a message is missing', () => {
    expect(() => arrivals(accepted(0, 2), 3)).toThrow(/2 came/)
  })

  it('are refused when a message came twice, also in place of another', () => {
    expect(() => arrivals(accepted(0, 1, 1), 3)).toThrow(/2 are different/)
    expect(() => arrivals(accepted(0, 1, 2, 2), 3)).toThrow(/4 came/)
  })
})

it('counts a rate from the first arrival to the last, whatever their order', () => {
  expect(arrivalRate(Float64Array.of(2000, 1000, 1500))).toBe(2)
})
