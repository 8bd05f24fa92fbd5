import { describe, it } from 'vitest'
import { type ConformanceTarget, missingRequirement, type Requirement, runScenario, scenarios } from '../../src/conformance/index.ts'

/** Defines a test for each scenario. `shape` has the options of the target; `target` is called when a test runs. */
export const describeConformance = (what: string, shape: ConformanceTarget, target: () => ConformanceTarget = () => shape): void => {
  describe(what, () => {
    for (const scenario of scenarios)
      it.skipIf(missingRequirement(shape, scenario.requirements))(scenario.name, () =>
        // Less than the time limit of a test, so that a hanging scenario ends with its own message.
        runScenario(scenario, target(), { timeoutMs: 30_000 }),
      )
  })
}

/** Defines a test for each scenario that has a requirement, for targets that other scenarios cannot use. */
export const describeScenariosWith = (requirement: Requirement, what: string, target: ConformanceTarget): void => {
  describe(what, () => {
    for (const scenario of scenarios.filter(({ requirements }) => requirements.includes(requirement)))
      it.skipIf(missingRequirement(target, scenario.requirements))(scenario.name, () => runScenario(scenario, target))
  })
}
