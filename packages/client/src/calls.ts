import { type Config, checkLimits } from './config.ts'
import { type AnyOptions, type CallContext, failureOfEnd, readArguments } from './context.ts'
import type { AttemptRecord } from './errors.ts'
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

  return {
    run: (operation, options, timeout, work, late = 'not done') => {
      const attempts: AttemptRecord[] = []
      let started: Lifetime | undefined
      const guarded = async () => {
        const lifetime = readArguments({ operation, attempts }, () => {
          checkLimits({ ...options, timeout })
          return startLifetime(config.clock, timeout, options.signal)
        })
        started = lifetime
        if (stopped) lifetime.stop(stopped)
        const context: CallContext = { config, telemetry, operation, options, lifetime, attempts, late: `${late} within ${timeout} ms` }
        try {
          return await work(context)
        } catch (error) {
          throw lifetime.end()?.expired ? failureOfEnd(context) : error
        } finally {
          lifetime.close()
          live.delete(lifetime)
        }
      }
      const call = telemetry.trace(guarded, { operation, attempts })
      if (started) live.set(started, call)
      return call
    },
    stop: () => {
      stopped ??= new DOMException('The client was disposed of.', 'AbortError')
      for (const lifetime of live.keys()) lifetime.stop(stopped)
    },
    idle: () => Promise.allSettled(live.values()),
  }
}
