import { describe, expect, it } from 'vitest'
import { compare, isMet } from './result.ts'

const head = { id: 'x', title: 'X', unit: 'requests/s', baseline: 'bare', subject: 'server' }

describe('a comparison', () => {
  it('uses the median of the ratios per round, not the ratio of the medians', () => {
    const { result, baseline, subject } = compare(head, [100, 10, 1000], [50, 8, 400])
    expect(result.median).toBe(0.5)
    expect([baseline.median, subject.median]).toEqual([100, 50])
  })

  it('subtracts the baseline when it is a difference', () => {
    expect(compare({ ...head, kind: 'difference' }, [2, 2, 2], [10, 12, 30]).result).toEqual({ median: 10, low: 9, high: 19 })
  })

  it('meets a goal when it is on the right side of the bound', () => {
    const judged = (goal: { atLeast?: number; atMost?: number }) => isMet(compare({ ...head, goal }, [100], [110]))
    expect(judged({ atLeast: 1.1 })).toBe(true)
    expect(judged({ atLeast: 1.11 })).toBe(false)
    expect(judged({ atMost: 1.1 })).toBe(true)
    expect(judged({ atMost: 1.09 })).toBe(false)
  })

  it('is not judged without a goal, or with a reason not to judge it', () => {
    expect(isMet(compare(head, [1], [2]))).toBeUndefined()
    expect(isMet(compare({ ...head, goal: { atLeast: 9 }, notJudged: 'two cores' }, [1], [2]))).toBeUndefined()
  })
})

describe('a figure', () => {
  it('is judged by its value when it has a goal', () => {
    const memory = { title: 'Memory', unit: 'MiB', goal: { atMost: 150 } }
    expect(isMet({ ...memory, value: 150 })).toBe(true)
    expect(isMet({ ...memory, value: 151 })).toBe(false)
    expect(isMet({ title: 'Memory', unit: 'MiB', value: 151 })).toBeUndefined()
  })
})
