import { describe, expect, it } from 'vitest'
import { selectGroups } from './select-groups.ts'

const groups = ['start', 'accept', 'batch', 'latency', 'settings', 'delivery']
const select = (options: Partial<Parameters<typeof selectGroups>[1]>) =>
  selectGroups(groups, { only: undefined, sample: undefined, seed: 1, ...options })

describe('selectGroups', () => {
  it('returns all groups by default, and otherwise the named ones in their order', () => {
    expect(select({})).toEqual(groups)
    expect(select({ only: ['settings', 'accept'] })).toEqual(['settings', 'accept'])
  })

  it('rejects unknown groups', () => {
    expect(() => select({ only: ['accept', 'speed'] })).toThrow('Unknown group: speed. Groups: start, accept, batch')
  })

  it('returns the same sample for the same seed, and reaches every group with other seeds', () => {
    const samples = Array.from({ length: 50 }, (_, seed) => select({ sample: 2, seed }))
    expect(samples.map(({ length }) => length)).toEqual(samples.map(() => 2))
    expect(select({ sample: 2, seed: 7 })).toEqual(samples[7])
    expect(new Set(samples.flat())).toEqual(new Set(groups))
    expect(select({ sample: 100 })).toEqual(groups)
  })
})
