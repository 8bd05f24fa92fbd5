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

/** The first scenario for each method and status, and all scenarios that belong to no operation. */
const transportScenarios = scenarios.filter(
  (scenario, index) =>
    scenario.operation === null || scenarios.findIndex((other) => responseKind(other) === responseKind(scenario)) === index,
)

const describeScenarios = (what: string, selected: readonly Scenario[], shape: ConformanceTarget, target: () => ConformanceTarget) =>
  describe(what, () => {
    for (const scenario of selected)
      it.skipIf(missingRequirement(shape, scenario.requirements))(scenario.name, () =>
        // Less than a test's time limit, so that a hanging scenario ends with its own message.
        runScenario(scenario, target(), { timeoutMs: 30_000 }),
      )
  })

/** Defines tests for scenarios. `shape` has the target's options. `target` creates the target when a test runs. */
export type DescribeTarget = (what: string, shape: ConformanceTarget, target?: () => ConformanceTarget) => void

/** Defines a test for each scenario. */
export const describeConformance: DescribeTarget = (what, shape, target = () => shape) => {
  describeScenarios(what, scenarios, shape, target)
}

/**
 * Defines tests of a transport between the scenarios and the mock, such as HTTP or MSW. Other tests run all scenarios
 * without the transport. The transport does not depend on the operation, so one scenario for each method and status is
 * enough here. `pnpm test:soak` runs all scenarios.
 */
export const describeTransport: DescribeTarget = (what, shape, target = () => shape) => {
  describeScenarios(what, transportScenarios, shape, target)
}

/**
 * Defines a test for each scenario with the given requirement. Use it for a target on which other scenarios would fail, for
 * example because its queue is too small.
 */
export const describeScenariosWith = (requirement: Requirement, what: string, target: ConformanceTarget): void => {
  describe(what, () => {
    for (const scenario of scenarios.filter(({ requirements }) => requirements.includes(requirement)))
      it.skipIf(missingRequirement(target, scenario.requirements))(scenario.name, () => runScenario(scenario, target))
  })
}

/**
 * Defines a test for each scenario that can depend on whether messages are captured: notification scenarios, and
 * scenarios that require a capturing target. `pnpm test:soak` runs all scenarios.
 */
export const describeCapture = (what: string, target: ConformanceTarget): void => {
  const selected = scenarios.filter(
    ({ operation, requirements }) => operation?.startsWith('notifications.') || requirements.includes('capturesWithoutCredentials'),
  )
  describeScenarios(what, selected, target, () => target)
}
