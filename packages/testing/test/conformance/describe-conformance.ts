import { describe, it } from 'vitest'
import {
  type ConformanceTarget,
  missingRequirement,
  type Requirement,
  runScenario,
  type Scenario,
  scenarios,
} from '../../src/conformance/index.ts'
import { operations } from '../../src/http/operations.ts'

const methods = new Map<string, string>(operations.map(({ operation, route }) => [operation, route.method]))

const responseKind = ({ operation, status }: Scenario): string | null => operation && `${methods.get(operation)} ${status}`

/** The first scenario of each method and status, and all that belong to no operation. */
const transportScenarios = scenarios.filter(
  (scenario, index) =>
    scenario.operation === null || scenarios.findIndex((other) => responseKind(other) === responseKind(scenario)) === index,
)

const describeScenarios = (what: string, selected: readonly Scenario[], shape: ConformanceTarget, target: () => ConformanceTarget) =>
  describe(what, () => {
    for (const scenario of selected)
      it.skipIf(missingRequirement(shape, scenario.requirements))(scenario.name, () =>
        // Less than the time limit of a test, so that a hanging scenario ends with its own message.
        runScenario(scenario, target(), { timeoutMs: 30_000 }),
      )
  })

/**
 * Defines tests for scenarios. `shape` has the options of the target; `target` is called when a test runs.
 */
export type DescribeTarget = (what: string, shape: ConformanceTarget, target?: () => ConformanceTarget) => void

/** Defines a test for each scenario. */
export const describeConformance: DescribeTarget = (what, shape, target = () => shape) => {
  describeScenarios(what, scenarios, shape, target)
}

/**
 * Defines tests of a transport to the mock, which passes all scenarios without it. A transport does not depend on the
 * operation, so each status is received once for each method. `pnpm test:soak` runs all scenarios.
 */
export const describeTransport: DescribeTarget = (what, shape, target = () => shape) => {
  describeScenarios(what, transportScenarios, shape, target)
}

/** Defines a test for each scenario that has a requirement, for targets that other scenarios cannot use. */
export const describeScenariosWith = (requirement: Requirement, what: string, target: ConformanceTarget): void => {
  describe(what, () => {
    for (const scenario of scenarios.filter(({ requirements }) => requirements.includes(requirement)))
      it.skipIf(missingRequirement(target, scenario.requirements))(scenario.name, () => runScenario(scenario, target))
  })
}

/**
 * Defines a test for each scenario that can depend on whether messages are captured: those of notifications, and those that
 * require a target that captures. `pnpm test:soak` runs all scenarios.
 */
export const describeCapture = (what: string, target: ConformanceTarget): void => {
  const selected = scenarios.filter(
    ({ operation, requirements }) => operation?.startsWith('notifications.') || requirements.includes('capturesWithoutCredentials'),
  )
  describeScenarios(what, selected, target, () => target)
}
