import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { allChecks } from '../checks.ts'
import { applyMutant } from '../mutant.ts'
import { mutants } from './index.ts'

const root = new URL('../../../', import.meta.url)

describe('the catalog', () => {
  it('has unique names', () => {
    const names = mutants.map(({ name }) => name)
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([])
  })

  it('has at least a hundred mutants', () => {
    expect(mutants.length).toBeGreaterThanOrEqual(100)
  })
})

describe.each(mutants)('the mutant "$name"', (mutant) => {
  it('changes exactly one place in its file', () => {
    const source = readFileSync(new URL(mutant.file, root), 'utf8')
    expect(applyMutant(source, mutant)).not.toBe(source)
  })

  it('names a check that exists', () => {
    expect(allChecks.filter(({ name }) => mutant.killedBy.test(name))).not.toEqual([])
  })
})
