import { describe, it } from 'vitest'
import { type ConformanceTarget, missingNeed, runScenario, scenarios } from '../../src/conformance/index.ts'

/** Makes a test of every scenario. `target` is asked for when the tests run; `shape` says what it will have. */
export const describeConformance = (what: string, shape: ConformanceTarget, target: () => ConformanceTarget = () => shape): void => {
  describe(what, () => {
    for (const scenario of scenarios) it.skipIf(missingNeed(shape, scenario.needs))(scenario.name, () => runScenario(scenario, target()))
  })
}
