import { isFlowpostError } from '@flowpost/client'
import { ConformanceFailure } from './assertions.ts'
import { type Clients, createClients } from './clients.ts'
import { runWithDeadline, type Timers } from './deadline.ts'
import { createExchange } from './exchange.ts'
import type { ConformanceTarget } from './target.ts'

/** A function that runs after a scenario and deletes, cancels or stops its resources. */
export type Cleanup = (clients: Clients) => PromiseLike<unknown>

/** The time limit for each cleanup. */
export interface CleanupLimit {
  readonly timers: Timers
  readonly limitMs: number
}

class CleanupTimeout extends ConformanceFailure {}

const runCleanup = async (cleanup: Cleanup, target: ConformanceTarget, { timers, limitMs }: CleanupLimit): Promise<void> => {
  let describe = () => ''
  const createError = () => new CleanupTimeout(`A cleanup did not finish within ${limitMs} ms. ${describe()}`)
  await runWithDeadline({ timers, limitMs, createError }, async (signal) => {
    const exchange = createExchange(target, signal)
    describe = exchange.describe
    try {
      await cleanup(createClients(target, exchange))
    } catch (error) {
      // Ignores a 404, because the scenario may have deleted the resource or its parent.
      if (!isFlowpostError(error) || error.status !== 404) throw exchange.violation() ?? error
    }
  })
}

/**
 * Runs cleanups in reverse order, each with its own time limit. After one cleanup exceeds its limit, the remaining ones
 * run concurrently, so that an unresponsive server cannot delay the next scenario for long.
 *
 * @throws The first error, after all cleanups have ended.
 */
export const runCleanups = async (cleanups: readonly Cleanup[], target: ConformanceTarget, limit: CleanupLimit): Promise<void> => {
  const errors: unknown[] = []
  const run = (cleanup: Cleanup) => runCleanup(cleanup, target, limit).catch((error: unknown) => void errors.push(error))
  const remaining = cleanups.toReversed()
  for (let next = remaining.shift(); next; next = remaining.shift()) {
    await run(next)
    if (errors.some((error) => error instanceof CleanupTimeout)) await Promise.all(remaining.splice(0).map(run))
  }
  if (errors.length > 0) throw errors[0]
}
