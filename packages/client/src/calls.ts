import type { Config } from './config.ts'
import { type AnyOptions, type CallContext, failureOfEnd } from './context.ts'
import { type Lifetime, startLifetime } from './lifetime.ts'
import { createTelemetry } from './telemetry.ts'

/** Runs `work` under a deadline of `timeout` milliseconds; `late` says what was not done by then. */
export type Run = <T>(
  operation: string,
  options: AnyOptions,
  timeout: number,
  work: (context: CallContext) => Promise<T>,
  late?: string,
) => Promise<T>

/** The calls of one client: each under its deadline, all of them stoppable together. */
export interface Calls {
  readonly run: Run
  /** Stops what is in flight, and everything that comes after. */
  stop(): void
  /** Resolves when nothing is in flight. */
  idle(): Promise<unknown>
}

export const createCalls = (config: Config): Calls => {
  const telemetry = createTelemetry(config)
  const live = new Map<Lifetime, Promise<unknown>>()
  let stopped: unknown

  const guarded = async <T>(context: CallContext, work: (context: CallContext) => Promise<T>): Promise<T> => {
    const { lifetime } = context
    try {
      return await work(context)
    } catch (error) {
      throw lifetime.end()?.expired ? failureOfEnd(context) : error
    } finally {
      lifetime.close()
      live.delete(lifetime)
    }
  }

  return {
    run: (operation, options, timeout, work, late = 'not done') => {
      const lifetime = startLifetime(config.clock, timeout, options.signal)
      if (stopped) lifetime.stop(stopped)
      const context: CallContext = { config, telemetry, operation, options, lifetime, attempts: [], late: `${late} within ${timeout} ms` }
      const call = telemetry.trace(() => guarded(context, work), { operation, attempts: context.attempts })
      live.set(lifetime, call)
      return call
    },
    stop: () => {
      stopped ??= new DOMException('The client was disposed of.', 'AbortError')
      for (const lifetime of live.keys()) lifetime.stop(stopped)
    },
    idle: () => Promise.allSettled(live.values()),
  }
}
