import { describe, expect, it } from 'vitest'
import { coverageFaults, coverageOf, declaredAnswers, scenarios } from '../../src/conformance/index.ts'

describe('the conformance suite', () => {
  it('has a scenario for every operation and status that the contract declares, or a reason why not', () => {
    expect(coverageFaults(scenarios)).toEqual([])
    expect(coverageOf(scenarios)).toHaveLength(declaredAnswers().length)
  })

  it('finds an answer that lost its scenario', () => {
    const fewer = scenarios.filter(({ operation, status }) => !(operation === 'projects.create' && status === 409))
    expect(coverageFaults(fewer)).toEqual(['projects.create 409 has no scenario.'])
  })

  it('finds an excuse that is no longer needed, and a scenario of a status that is not declared', () => {
    const [first] = scenarios
    if (!first) throw new Error('There are no scenarios.')
    const more = [
      { ...first, name: 'full', operation: 'notifications.send' as const, status: 503 },
      { ...first, name: 'teapot', operation: 'projects.get' as const, status: 418 },
    ]
    expect(coverageFaults([...scenarios, ...more])).toEqual([
      'notifications.send 503 is excused, but has a scenario.',
      'teapot: the contract does not declare this status.',
    ])
  })

  it('names every scenario once', () => {
    const names = scenarios.map(({ name }) => name)
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([])
  })
})
