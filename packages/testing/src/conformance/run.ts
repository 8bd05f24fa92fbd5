import { ConformanceFailure } from './assertions.ts'
import { type Cleanup, runCleanups } from './cleanups.ts'
import { createContext } from './context.ts'
import { platformTimers, runWithDeadline, type Timers } from './deadline.ts'
import { createExchange } from './exchange.ts'
import type { Scenario } from './scenario.ts'
import { scenarios as allScenarios } from './scenarios/index.ts'
import { type ConformanceTarget, missingRequirement, type Requirement } from './target.ts'

/** The result of a scenario. */
export type ScenarioResult =
  | { readonly scenario: Scenario; readonly outcome: 'passed' }
  | { readonly scenario: Scenario; readonly outcome: 'skipped'; readonly requirement: Requirement }
  | { readonly scenario: Scenario; readonly outcome: 'failed'; readonly error: unknown }

/** Time limits for a scenario. */
export interface ScenarioOptions {
  /**
   * Time limit for one scenario in milliseconds, not including its cleanups. A scenario that takes longer is aborted
   * and fails. Some scenarios wait up to 30 s for each delivery, so they can fail with a limit below the default.
   * @default the scenario's `timeoutMs`, or 60_000
   */
  readonly timeoutMs?: number
  /**
   * Time limit for each cleanup in milliseconds.
   * @default 10_000
   */
  readonly cleanupTimeoutMs?: number
  /** The timers that enforce the time limits. Tests can replace them. Defaults to the platform's timers. */
  readonly timers?: Timers
}

/**
 * Runs one scenario and its cleanups. The scenario's requests are aborted before the cleanups start.
 *
 * @throws {ConformanceFailure} If the server does not conform, or if the scenario or a cleanup exceeds its time limit.
 * @throws {FlowpostError} If a client call fails unexpectedly.
 */
export const runScenario = async (scenario: Scenario, target: ConformanceTarget, options: ScenarioOptions = {}): Promise<void> => {
  const { timeoutMs = scenario.timeoutMs ?? 60_000, cleanupTimeoutMs = 10_000, timers = platformTimers } = options
  const cleanups: Cleanup[] = []
  const cleanUp = () => runCleanups(cleanups, target, { timers, limitMs: cleanupTimeoutMs })
  let describe = () => ''
  const createError = () => new ConformanceFailure(`${scenario.name}: not finished within ${timeoutMs} ms. ${describe()}`)
  try {
    await runWithDeadline({ timers, limitMs: timeoutMs, createError }, async (signal) => {
      const exchange = createExchange(target, signal)
      describe = exchange.describe
      await scenario.run(createContext(target, { exchange, signal, cleanups })).catch((error: unknown) => {
        throw exchange.violation() ?? error
      })
      // A scenario that ignores the errors of some calls may have ignored a contract violation too.
      const violation = exchange.violation()
      if (violation) throw violation
    })
  } catch (error) {
    // The scenario's error is more relevant than a cleanup's error.
    await cleanUp().catch(() => {})
    throw error
  }
  await cleanUp()
}

/** Options for {@link runConformance}. */
export interface RunOptions extends ScenarioOptions {
  /** The scenarios to run. Defaults to all scenarios. */
  readonly scenarios?: readonly Scenario[]
  /** Called with each scenario's result. */
  readonly onResult?: (result: ScenarioResult) => void
}

const runOne = async (scenario: Scenario, target: ConformanceTarget, options: ScenarioOptions): Promise<ScenarioResult> => {
  const requirement = missingRequirement(target, scenario.requirements)
  if (requirement) return { scenario, outcome: 'skipped', requirement }
  try {
    await runScenario(scenario, target, options)
    return { scenario, outcome: 'passed' }
  } catch (error) {
    return { scenario, outcome: 'failed', error }
  }
}

/** Runs the scenarios in sequence. A failed scenario is reported in the results and does not reject the promise. */
export const runConformance = async (target: ConformanceTarget, options: RunOptions = {}): Promise<ScenarioResult[]> => {
  const results: ScenarioResult[] = []
  for (const scenario of options.scenarios ?? allScenarios) {
    const result = await runOne(scenario, target, options)
    results.push(result)
    options.onResult?.(result)
  }
  return results
}
