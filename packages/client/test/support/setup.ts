import { createCallRunner } from '../../src/calls/call-runner.ts'
import { parseConfig } from '../../src/config.ts'
import { createFlowpost, type Flowpost, FlowpostError, type FlowpostOptions } from '../../src/index.ts'
import { createOperations } from '../../src/operations.ts'
import type { RouteTable } from '../../src/route.ts'
import { type HostileServer, startHostileServer } from './hostile-server.ts'
import { createManualClock, type ManualClock } from './manual-clock.ts'

/** An API key that must not appear in any output. */
export const secretKey = 'fp_k1_abcdefghijklmnopqrstuvwxyz0123456789'

/** A client with its server and clock. */
export interface Setup extends AsyncDisposable {
  readonly server: HostileServer
  readonly clock: ManualClock
  readonly flowpost: Flowpost
  /** Creates another client for the same server. */
  client(options?: FlowpostOptions): Flowpost
  /** Resolves when the client has started to read `count` response bodies. */
  responded(count: number): Promise<void>
}

/** Starts a hostile server and a client with a manual clock. Jitter is fixed: each delay is half of its maximum. */
export const start = async (options: FlowpostOptions = {}): Promise<Setup> => {
  const server = await startHostileServer()
  const clock = createManualClock()
  let responses = 0
  const listeners = new Set<() => void>()
  const countingFetch = async (url: string, init: RequestInit) => {
    const response = await globalThis.fetch(url, init)
    const countReads =
      <T>(read: () => T) =>
      () => {
        responses += 1
        for (const listener of listeners) listener()
        return read()
      }
    const { body } = response
    Object.assign(response, { text: countReads(response.text.bind(response)) })
    if (body) Object.assign(body, { getReader: countReads(body.getReader.bind(body)) })
    return response
  }
  const client = (overrides: FlowpostOptions = {}) =>
    createFlowpost({ baseUrl: server.baseUrl, apiKey: secretKey, clock, random: () => 0.5, fetch: countingFetch, ...options, ...overrides })
  return {
    server,
    clock,
    flowpost: client(),
    client,
    responded: (count) =>
      new Promise((resolve) => {
        const check = () => {
          if (responses < count) return
          listeners.delete(check)
          resolve()
        }
        listeners.add(check)
        check()
      }),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

/** Returns the `FlowpostError` of a call that must fail. */
export const failureOf = async (call: PromiseLike<unknown>): Promise<FlowpostError> => {
  try {
    await call
  } catch (error) {
    if (error instanceof FlowpostError) return error
    throw error
  }
  throw new Error('The call did not fail.')
}

/** Starts a hostile server and a client with a custom route table, for operations that the contract does not have. */
export const startWithTable = async <Client>(table: RouteTable, options: FlowpostOptions = {}) => {
  const server = await startHostileServer()
  const clock = createManualClock()
  const config = parseConfig({ baseUrl: server.baseUrl, apiKey: secretKey, clock, random: () => 0.5, ...options })
  const client = createOperations(table, config, createCallRunner(config).run) as Client
  return { server, clock, client, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() }
}
