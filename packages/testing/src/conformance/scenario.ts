import type { Operation } from '../named-types.ts'
import type { ScenarioContext } from './context.ts'
import type { Need } from './target.ts'

/** One thing that every server of the interface does. */
export interface Scenario {
  /** The operation, the status, and the outcome in words. */
  readonly name: string
  /** `null` for what concerns no single operation. */
  readonly operation: Operation | null
  /** The status of the answer that it is about. */
  readonly status: number
  readonly needs: readonly Need[]
  /** Rejects with a `ConformanceFailure` when the server does something else. */
  run(context: ScenarioContext): Promise<void>
}

/** Makes a scenario. */
export const scenario = (
  operation: Operation | null,
  status: number,
  outcome: string,
  run: Scenario['run'],
  needs: readonly Need[] = [],
): Scenario => ({ name: `${operation ?? 'any'} ${status}: ${outcome}`, operation, status, needs, run })
