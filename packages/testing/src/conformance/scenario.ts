import type { Operation } from '../public-types.ts'
import type { ScenarioContext } from './context.ts'
import type { Requirement } from './target.ts'

/** One conformance check for the API. */
export interface Scenario {
  /** The name, in the form `<operation> <status>: <expected outcome>`. */
  readonly name: string
  /** The operation, or `null` for a check that does not depend on an operation. */
  readonly operation: Operation | null
  /** The expected status of the response. */
  readonly status: number
  readonly requirements: readonly Requirement[]
  /**
   * The time limit of this scenario in milliseconds, unless the option `timeoutMs` sets another for the run. A scenario that
   * must wait longer, for example for many deliveries, needs more time than the default.
   * @default 60_000
   */
  readonly timeoutMs?: number
  /**
   * Runs the check. Rejects with a `ConformanceFailure` if the server does not conform, or with the client's error if a
   * client call fails unexpectedly.
   */
  run(context: ScenarioContext): Promise<void>
}

/** Creates a scenario whose name consists of its operation, status and expected outcome. */
export const scenario = (
  operation: Operation | null,
  status: number,
  outcome: string,
  run: Scenario['run'],
  requirements: readonly Requirement[] = [],
): Scenario => ({ name: `${operation ?? 'any'} ${status}: ${outcome}`, operation, status, requirements, run })
