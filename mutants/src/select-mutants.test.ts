import { describe, expect, it } from 'vitest'
import type { Mutant } from './mutant.ts'
import { selectMutants } from './select-mutants.ts'

const mutants = Array.from({ length: 20 }, (_, index): Mutant => {
  const file = index % 2 === 0 ? 'apps/api/src/app.ts' : 'packages/testing/src/mock.ts'
  return { name: `bug ${index}`, file, find: 'a', replace: 'b', killedBy: /./ }
})
const namesOf = (options: { only?: RegExp; sample?: number; seed?: number }) =>
  selectMutants(mutants, { only: undefined, sample: undefined, seed: 1, ...options }).map(({ name }) => name)

describe('selectMutants', () => {
  it('selects all mutants by default', () => {
    expect(namesOf({})).toHaveLength(20)
  })

  it('selects mutants whose name or file matches', () => {
    expect(namesOf({ only: /bug 1$/ })).toEqual(['bug 1'])
    expect(namesOf({ only: /^packages/ })).toHaveLength(10)
  })

  it('selects the same sample for the same seed, and another one for another seed', () => {
    expect(namesOf({ sample: 5 })).toEqual(namesOf({ sample: 5 }))
    expect(namesOf({ sample: 5 })).toHaveLength(5)
    expect(namesOf({ sample: 5, seed: 2 })).not.toEqual(namesOf({ sample: 5 }))
  })

  it('keeps the order of the catalog', () => {
    const names = namesOf({ sample: 10 })
    expect(names).toEqual(namesOf({}).filter((name) => names.includes(name)))
  })
})
