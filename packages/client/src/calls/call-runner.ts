import { type Config, validateLimits } from '../config.ts'
import type { AttemptRecord } from '../errors.ts'
import { type AnyOptions, type CallContext, createAbortFailure, parseArguments } from './call-context.ts'
import { type CallDeadline, createCallDeadline } from './call-deadline.ts'
import { createTelemetry } from './telemetry.ts'

/**
 * Runs `work` with a deadline of `timeout` milliseconds. After a timeout, the error's message is
 * `<incomplete> within <timeout> ms`; `incomplete` defaults to `not completed`.
 */
export type RunCall = <T>(
  operation: string,
  options: AnyOptions,
  timeout: number,
  work: (context: CallContext) => Promise<T>,
  incomplete?: string,
) => Promise<T>

/** Runs the calls of one client. Each call has its own deadline; all calls can be aborted together. */
export interface CallRunner {
  readonly run: RunCall
  /** Aborts calls in flight and rejects new ones. */
  abort(): void
  /** Resolves when no call is in flight. */
  idle(): Promise<unknown>
}

/** Creates the call runner of a client. */
export const createCallRunner = (config: Config): CallRunner => {
  const telemetry = createTelemetry(config)
  const inFlight = new Map<CallDeadline, Promise<unknown>>()
  let disposal: unknown

  return {
    run: (operation, options, timeout, work, incomplete = 'not completed') => {
      const attempts: AttemptRecord[] = []
      let started: CallDeadline | undefined
      const runWork = async () => {
        const deadline = parseArguments({ operation, attempts }, () => {
          validateLimits({ ...options, timeout })
          return createCallDeadline(config.clock, timeout, options.signal)
        })
        started = deadline
        if (disposal) deadline.abort(disposal)
        const timeoutMessage = `${incomplete} within ${timeout} ms`
        const context: CallContext = { config, telemetry, operation, options, deadline, attempts, timeoutMessage }
        try {
          return await work(context)
        } catch (error) {
          throw deadline.aborted()?.expired ? createAbortFailure(context) : error
        } finally {
          deadline.close()
          inFlight.delete(deadline)
        }
      }
      const call = telemetry.trace(runWork, { operation, attempts })
      if (started) inFlight.set(started, call)
      return call
    },
    abort: () => {
      disposal ??= new DOMException('The client was disposed.', 'AbortError')
      for (const deadline of inFlight.keys()) deadline.abort(disposal)
    },
    idle: () => Promise.allSettled(inFlight.values()),
  }
}
