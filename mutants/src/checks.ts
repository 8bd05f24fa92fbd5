import { type ConformanceTarget, missingRequirement, runScenario, type Scenario, scenarios } from '@flowpost/testing/conformance'
import { compareTargets, drawSteps, type ModelTarget } from '@flowpost/testing/conformance/model'
import fc from 'fast-check'

/** The programs that a check can use. */
export interface Subject {
  /** The program with the mutant, if any, with the deployment of the conformance suite. */
  readonly conformanceTarget: () => Promise<ConformanceTarget>
  /** The program with the mutant, if any, and the other one without it. */
  readonly modelTargets: () => Promise<readonly [ModelTarget, ModelTarget]>
}

/** A check of a program. */
export interface Check {
  readonly name: string
  /** Rejects when the program does not conform. */
  readonly run: (subject: Subject) => Promise<void>
}

const toCheck = (scenario: Scenario): Check => ({
  name: scenario.name,
  run: async ({ conformanceTarget }) => {
    const target = await conformanceTarget()
    if (missingRequirement(target, scenario.requirements) === undefined) await runScenario(scenario, target)
  },
})

// The same sequences as in `apps/api/test/model/model.test.ts`.
const sequences = { numRuns: 25, seed: 20261121 }

const compareWithOther: Check = {
  name: 'model: returns the same responses as the other implementation for random sequences',
  run: async ({ modelTargets }) => {
    const targets = await modelTargets()
    for (const steps of fc.sample(drawSteps(), sequences)) await compareTargets(targets, steps)
  },
}

/** All checks: the scenarios of the conformance suite, then the comparison of random sequences. */
export const allChecks: readonly Check[] = [...scenarios.map(toCheck), compareWithOther]
