import { createContext } from './context.ts'
import type { Scenario } from './scenario.ts'
import { scenarios as allScenarios } from './scenarios/index.ts'
import { type ConformanceTarget, missingNeed, type Need } from './target.ts'

/** How a scenario went. */
export type ScenarioResult =
  | { readonly scenario: Scenario; readonly outcome: 'passed' }
  | { readonly scenario: Scenario; readonly outcome: 'skipped'; readonly need: Need }
  | { readonly scenario: Scenario; readonly outcome: 'failed'; readonly error: unknown }

/** Runs one scenario and undoes what it made. Rejects when the server does not conform. */
export const runScenario = async (scenario: Scenario, target: ConformanceTarget): Promise<void> => {
  const context = createContext(target)
  try {
    await scenario.run(context)
  } catch (error) {
    // What went wrong first is what matters.
    await context.close().catch(() => {})
    throw error
  }
  await context.close()
}

/** What a run is narrowed to, and who is told. */
export interface RunOptions {
  /** Default: all. */
  readonly scenarios?: readonly Scenario[]
  /** Told of each scenario when it is over. */
  readonly onResult?: (result: ScenarioResult) => void
}

const runOne = async (scenario: Scenario, target: ConformanceTarget): Promise<ScenarioResult> => {
  const need = missingNeed(target, scenario.needs)
  if (need) return { scenario, outcome: 'skipped', need }
  try {
    await runScenario(scenario, target)
    return { scenario, outcome: 'passed' }
  } catch (error) {
    return { scenario, outcome: 'failed', error }
  }
}

/** Runs the suite against a server, one scenario after the other. Never rejects for what the server does. */
export const runConformance = async (target: ConformanceTarget, options: RunOptions = {}): Promise<ScenarioResult[]> => {
  const results: ScenarioResult[] = []
  for (const scenario of options.scenarios ?? allScenarios) {
    const result = await runOne(scenario, target)
    results.push(result)
    options.onResult?.(result)
  }
  return results
}
