import { describe, it } from 'vitest'
import {
  type ConformanceTarget,
  missingRequirement,
  type Requirement,
  runScenario,
  type Scenario,
  scenarios,
} from '../../src/conformance/index.ts'

/** The first scenario of each operation and status, and all that belong to no operation. */
const transportScenarios = scenarios.filter(
  ({ operation, status }, index) =>
    operation === null || scenarios.findIndex((other) => other.operation === operation && other.status === status) === index,
)

const describeScenarios = (what: string, selected: readonly Scenario[], shape: ConformanceTarget, target: () => ConformanceTarget) =>
  describe(what, () => {
    for (const scenario of selected)
      it.skipIf(missingRequirement(shape, scenario.requirements))(scenario.name, () =>
        // Less than the time limit of a test, so that a hanging scenario ends with its own message.
        runScenario(scenario, target(), { timeoutMs: 30_000 }),
      )
  })

/** Defines a test for each scenario. */
export const describeConformance = (what: string, target: ConformanceTarget): void => {
  describeScenarios(what, scenarios, target, () => target)
}

/**
 * Defines tests of a transport to the mock, which passes all scenarios without it. Each response is received once.
 * `shape` has the options of the target; `target` is called when a test runs.
 */
export const describeTransport = (what: string, shape: ConformanceTarget, target: () => ConformanceTarget = () => shape): void => {
  describeScenarios(what, transportScenarios, shape, target)
}

/** Defines a test for each scenario that has a requirement, for targets that other scenarios cannot use. */
export const describeScenariosWith = (requirement: Requirement, what: string, target: ConformanceTarget): void => {
  describe(what, () => {
    for (const scenario of scenarios.filter(({ requirements }) => requirements.includes(requirement)))
      it.skipIf(missingRequirement(target, scenario.requirements))(scenario.name, () => runScenario(scenario, target))
  })
}
