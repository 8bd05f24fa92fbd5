import { createContext } from './context.ts'
import type { Scenario } from './scenario.ts'
import { scenarios as allScenarios } from './scenarios/index.ts'
import { type ConformanceTarget, missingRequirement, type Requirement } from './target.ts'

/** The result of a scenario. */
export type ScenarioResult =
  | { readonly scenario: Scenario; readonly outcome: 'passed' }
  | { readonly scenario: Scenario; readonly outcome: 'skipped'; readonly requirement: Requirement }
  | { readonly scenario: Scenario; readonly outcome: 'failed'; readonly error: unknown }

/** Runs one scenario and its cleanups. Rejects when the server does not conform. */
export const runScenario = async (scenario: Scenario, target: ConformanceTarget): Promise<void> => {
  const context = createContext(target)
  try {
    await scenario.run(context)
  } catch (error) {
    // The first error is the relevant one.
    await context.close().catch(() => {})
    throw error
  }
  await context.close()
}

/** Options of a run. */
export interface RunOptions {
  /** Defaults to all scenarios. */
  readonly scenarios?: readonly Scenario[]
  /** Called after each scenario. */
  readonly onResult?: (result: ScenarioResult) => void
}

const runOne = async (scenario: Scenario, target: ConformanceTarget): Promise<ScenarioResult> => {
  const requirement = missingRequirement(target, scenario.requirements)
  if (requirement) return { scenario, outcome: 'skipped', requirement }
  try {
    await runScenario(scenario, target)
    return { scenario, outcome: 'passed' }
  } catch (error) {
    return { scenario, outcome: 'failed', error }
  }
}

/** Runs the scenarios in sequence. Failures are part of the results; the promise does not reject for them. */
export const runConformance = async (target: ConformanceTarget, options: RunOptions = {}): Promise<ScenarioResult[]> => {
  const results: ScenarioResult[] = []
  for (const scenario of options.scenarios ?? allScenarios) {
    const result = await runOne(scenario, target)
    results.push(result)
    options.onResult?.(result)
  }
  return results
}
