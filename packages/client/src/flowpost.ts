import { createCalls } from './calls.ts'
import { readConfig } from './config.ts'
import type { Operations } from './generated/operations.ts'
import { routes } from './generated/routes.ts'
import { buildOperations } from './operations.ts'
import type { FlowpostOptions } from './options.ts'

/** A client of Flowpost. Make one for each server and credential and keep it; it holds no connection. */
export interface Flowpost extends Operations {
  /** Stops every call in flight with an `AbortError`, and refuses new ones. */
  [Symbol.dispose](): void
  /** As `[Symbol.dispose]`, and resolves once every call has ended. */
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * Makes a client.
 *
 * @throws {TypeError} When an option is missing or not usable, or in a browser without `dangerouslyAllowBrowser`.
 */
export const createFlowpost = (options: FlowpostOptions = {}): Flowpost => {
  const config = readConfig(options)
  const { run, stop, idle } = createCalls(config)
  return {
    ...(buildOperations(routes, config, run) as Operations),
    [Symbol.dispose]: stop,
    [Symbol.asyncDispose]: async () => {
      stop()
      await idle()
    },
  }
}
