import { describe, expect, it } from 'vitest'
import { coverageFaults, missingNeed, runScenario, scenarios } from '../src/conformance/index.ts'
import { mockTarget } from './mock-target.ts'

describe('the mock', () => {
  const target = mockTarget()
  for (const scenario of scenarios) it.skipIf(missingNeed(target, scenario.needs))(scenario.name, () => runScenario(scenario, target))
})

it('has a scenario for every operation and status that the contract declares, or a reason why not', () => {
  expect(coverageFaults(scenarios)).toEqual([])
})
