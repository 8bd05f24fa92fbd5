import { describe, expect, it } from 'vitest'
import { coverageIssues, coverageOf, declaredResponses, scenarios } from '../../src/conformance/index.ts'

describe('the conformance suite', () => {
  it('has a scenario or an exemption for every declared operation and status', () => {
    expect(coverageIssues(scenarios)).toEqual([])
    expect(coverageOf(scenarios)).toHaveLength(declaredResponses().length)
  })

  it('detects a response without a scenario', () => {
    const fewer = scenarios.filter(({ operation, status }) => !(operation === 'projects.create' && status === 409))
    expect(coverageIssues(fewer)).toEqual(['projects.create 409 has no scenario.'])
  })

  it('detects an unnecessary exemption and a scenario for an undeclared status', () => {
    const [first] = scenarios
    if (!first) throw new Error('There are no scenarios.')
    const more = [
      { ...first, name: 'full', operation: 'notifications.send' as const, status: 503 },
      { ...first, name: 'teapot', operation: 'projects.get' as const, status: 418 },
    ]
    expect(coverageIssues([...scenarios, ...more])).toEqual([
      'notifications.send 503 has a scenario. Remove its exemption.',
      'teapot: the contract does not declare this status.',
    ])
  })

  it('has unique scenario names', () => {
    const names = scenarios.map(({ name }) => name)
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([])
  })
})
