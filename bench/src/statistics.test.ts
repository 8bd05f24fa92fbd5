import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { mean, paired, quantile, spreadOf } from './statistics.ts'

const measurements = fc.array(fc.double({ min: 0, max: 1e6, noNaN: true }), { minLength: 1, maxLength: 50 })

it('the mean is the sum divided by the count', () => {
  expect(mean([1, 2, 6])).toBe(3)
})

describe('a quantile', () => {
  it('interpolates between two measurements', () => {
    expect(quantile([40, 10, 30, 20], 0.5)).toBe(25)
    expect(quantile([1, 2, 3, 4, 5], 0.25)).toBe(2)
    expect(quantile([0, 100], 0.99)).toBeCloseTo(99)
  })

  it('returns the only measurement', () => {
    expect(quantile([7], 0.99)).toBe(7)
  })

  it('throws without measurements', () => {
    expect(() => quantile([], 0.5)).toThrow(RangeError)
  })

  it('rises from the minimum at 0 to the maximum at 1, and does not change its input', () => {
    fc.assert(
      fc.property(measurements, fc.double({ min: 0, max: 1, noNaN: true }), fc.double({ min: 0, max: 1, noNaN: true }), (values, a, b) => {
        const before = [...values]
        const [low, high] = [quantile(values, Math.min(a, b)), quantile(values, Math.max(a, b))]
        expect(low).toBeLessThanOrEqual(high + 1e-9)
        expect(quantile(values, 0)).toBe(Math.min(...values))
        expect(quantile(values, 1)).toBe(Math.max(...values))
        expect(values).toEqual(before)
      }),
    )
  })
})

it('returns the median and the quartiles as the spread', () => {
  expect(spreadOf([5, 1, 4, 2, 3])).toEqual({ median: 3, low: 2, high: 4 })
})

describe('paired rounds', () => {
  it('are combined round by round', () => {
    expect(paired([100, 50, 200], [80, 40, 160], (baseline, subject) => subject / baseline)).toEqual([0.8, 0.8, 0.8])
  })

  it('throw when one side has fewer rounds', () => {
    expect(() => paired([1], [1, 2], (baseline, subject) => subject - baseline)).toThrow(RangeError)
  })
})
