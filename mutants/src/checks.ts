import { type ConformanceTarget, missingRequirement, runScenario, type Scenario, scenarios } from '@flowpost/testing/conformance'
import { compareTargets, drawSteps, type ModelTarget } from '@flowpost/testing/conformance/model'
import fc from 'fast-check'

/** A deployment of a program for the scenarios of the conformance suite. */
export interface ScenarioDeployment {
  /** A target that determines which scenarios can run. Its URL and keys have no meaning. */
  readonly shape: ConformanceTarget
  /** Starts the deployment on the first call. */
  readonly start: () => Promise<ConformanceTarget>
}

/** The programs that a check can use. */
export interface Subject {
  /** Returns the deployments of the program, with the mutant if there is one. */
  readonly deployments: () => Promise<readonly ScenarioDeployment[]>
  /**
   * Returns two programs to compare: this program, with the mutant if there is one, and the other program (mock or server)
   * without a mutant.
   */
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
  run: async (subject) => {
    const deployments = await subject.deployments()
    const deployment = deployments.find(({ shape }) => missingRequirement(shape, scenario.requirements) === undefined)
    if (deployment) await runScenario(scenario, await deployment.start())
  },
})

// The same sequences as in `apps/api/test/model/model.long.ts`.
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
