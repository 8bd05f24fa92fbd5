import { type ConformanceTarget, missingRequirement, runScenario, type Scenario, scenarios } from '@flowpost/testing/conformance'
import { compareTargets, drawSteps, type ModelTarget } from '@flowpost/testing/conformance/model'
import fc from 'fast-check'

/** A deployment of a program for the scenarios of the conformance suite. */
export interface ScenarioDeployment {
  /**
   * A target with the same options as the running deployment. The options determine which scenarios can run. The URL may be
   * empty.
   */
  readonly shape: ConformanceTarget
  /** Returns the running deployment. The first call starts it. */
  readonly start: () => Promise<ConformanceTarget>
}

/** The program under test: the server or the mock. It contains the mutant, if there is one. */
export interface Subject {
  /** Returns the program's deployments. */
  readonly deployments: () => Promise<readonly ScenarioDeployment[]>
  /** Returns the mock and the server to compare. Only the program under test can contain a mutant. */
  readonly modelTargets: () => Promise<readonly [ModelTarget, ModelTarget]>
}

/** A test of one program: a conformance scenario, or the comparison with the other program. */
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
  name: 'model: returns the same responses as the other implementation for random request sequences',
  run: async ({ modelTargets }) => {
    const targets = await modelTargets()
    for (const steps of fc.sample(drawSteps(), sequences)) await compareTargets(targets, steps)
  },
}

/** All checks: the scenarios of the conformance suite, then the comparison of server and mock. */
export const allChecks: readonly Check[] = [...scenarios.map(toCheck), compareWithOther]
