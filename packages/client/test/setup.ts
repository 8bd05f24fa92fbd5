import { createCalls } from '../src/calls.ts'
import { readConfig } from '../src/config.ts'
import { createFlowpost, type Flowpost, FlowpostError, type FlowpostOptions } from '../src/index.ts'
import { buildOperations } from '../src/operations.ts'
import type { RouteTable } from '../src/route.ts'
import { type HostileServer, startHostileServer } from './hostile-server.ts'
import { type ManualClock, manualClock } from './manual-clock.ts'

/** A key that must never be seen anywhere. */
export const secretKey = 'fp_k1_abcdefghijklmnopqrstuvwxyz0123456789'

/** A client, its server and its clock. */
export interface Setup extends AsyncDisposable {
  readonly server: HostileServer
  readonly clock: ManualClock
  readonly flowpost: Flowpost
  /** Another client of the same server. */
  client(options?: FlowpostOptions): Flowpost
  /** Resolves when the client has begun to read the bodies of that many answers. */
  answered(count: number): Promise<void>
}

/** Starts a hostile server and makes a client for it whose time stands still. Pauses are half of what they can be at most. */
export const start = async (options: FlowpostOptions = {}): Promise<Setup> => {
  const server = await startHostileServer()
  const clock = manualClock()
  let answers = 0
  const waiting = new Set<() => void>()
  const countingFetch = async (url: string, init: RequestInit) => {
    const response = await globalThis.fetch(url, init)
    const reads =
      <T>(read: () => T) =>
      () => {
        answers += 1
        for (const look of waiting) look()
        return read()
      }
    const { body } = response
    Object.assign(response, { text: reads(response.text.bind(response)) })
    if (body) Object.assign(body, { getReader: reads(body.getReader.bind(body)) })
    return response
  }
  const client = (more: FlowpostOptions = {}) =>
    createFlowpost({ baseUrl: server.baseUrl, apiKey: secretKey, clock, random: () => 0.5, fetch: countingFetch, ...options, ...more })
  return {
    server,
    clock,
    flowpost: client(),
    client,
    answered: (count) =>
      new Promise((resolve) => {
        const look = () => {
          if (answers < count) return
          waiting.delete(look)
          resolve()
        }
        waiting.add(look)
        look()
      }),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

/** The failure of a call that must fail with a `FlowpostError`. */
export const failureOf = async (call: PromiseLike<unknown>): Promise<FlowpostError> => {
  try {
    await call
  } catch (error) {
    if (error instanceof FlowpostError) return error
    throw error
  }
  throw new Error('The call did not fail.')
}

/** A client of a route table of the test's own, for what the contract does not have. */
export const startWithTable = async <Client>(table: RouteTable, options: FlowpostOptions = {}) => {
  const server = await startHostileServer()
  const clock = manualClock()
  const config = readConfig({ baseUrl: server.baseUrl, apiKey: secretKey, clock, random: () => 0.5, ...options })
  const client = buildOperations(table, config, createCalls(config).run) as Client
  return { server, clock, client, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() }
}
