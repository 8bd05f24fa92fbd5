import { createCallRunner } from '../../../src/calls/call-runner.ts'
import { parseConfig } from '../../../src/config.ts'
import { routes } from '../../../src/generated/routes.ts'
import { createOperations } from '../../../src/operations.ts'
import { type Behavior, startHostileServer } from '../../support/hostile-server.ts'
import { createManualClock } from '../../support/manual-clock.ts'
import { secretKey } from '../../support/setup.ts'
import type { Fault } from './faults.ts'
import { type Client, type Operation, unsafeRoutes } from './operations.ts'

/** How often the server fails, and how the caller limits or ends the call. */
export interface Scenario {
  /** The number of requests in a row that fail. */
  readonly failures: number
  readonly maxRetries?: number
  readonly timeout?: number
  /** When the caller aborts the call. */
  readonly abort?: 'in flight' | 'in backoff'
}

/** The result of a call, its requests, and the timers that the call left behind. */
export interface Outcome {
  readonly result: PromiseSettledResult<unknown>
  /** The number of requests. */
  readonly requests: number
  /** The delays between attempts in milliseconds. */
  readonly delays: readonly number[]
  /** The idempotency keys of the failing request and its retries. */
  readonly keys: ReadonlySet<unknown>
  /** The number of timers that are still pending. */
  readonly timers: number
}

/** The abort reason in scenarios that abort the call. */
export const abortReason = new Error('The caller left.')

const attemptTimeout = 30_000
// Enough for three attempts that time out.
const defaultTimeout = 120_000

/**
 * Runs a call against a server that fails some of its requests. Time passes only while nothing else can happen: during backoff
 * and while the server hangs. Resolves when the server has no open response.
 */
export const runScenario = async (operation: Operation, fault: Fault, scenario: Scenario): Promise<Outcome> => {
  const { timeout = defaultTimeout, maxRetries, abort, failures } = scenario
  await using server = await startHostileServer()
  const clock = createManualClock()
  const controller = new AbortController()
  const delays: number[] = []
  let isHanging = false

  const passTime = () => {
    if (abort === 'in flight') controller.abort(abortReason)
    else clock.advance(attemptTimeout)
  }
  const fail: Behavior = (response, request) => {
    isHanging = fault.hangs === 'in the body'
    fault.behavior(response, request)
    if (fault.hangs === 'before the response') passTime()
    else if (abort === 'in flight' && !fault.hangs) controller.abort(abortReason)
  }
  const succeed = operation.after.map(
    (behavior): Behavior =>
      (response, request) => {
        isHanging = false
        behavior(response, request)
      },
  )
  server.next(...operation.before, ...Array<Behavior>(failures).fill(fail), ...succeed)

  const schedule = (callback: () => void, delayMs: number) => {
    const cancel = clock.schedule(callback, delayMs)
    // All other timers belong to the backoff.
    if (delayMs < attemptTimeout && delayMs !== timeout) {
      delays.push(delayMs)
      queueMicrotask(() => (abort === 'in backoff' ? controller.abort(abortReason) : clock.advance(delayMs)))
    }
    return cancel
  }
  /** Lets time pass when the client starts to read a body that hangs. */
  const fetch = async (url: string, init: RequestInit) => {
    const response = await globalThis.fetch(url, init)
    const reading =
      <T>(read: () => T) =>
      () => {
        if (isHanging) queueMicrotask(passTime)
        // `text` may call `getReader`, which runs this function again. `passTime` must run only once.
        isHanging = false
        return read()
      }
    if (response.body) Object.assign(response.body, { getReader: reading(response.body.getReader.bind(response.body)) })
    return Object.assign(response, { text: reading(response.text.bind(response)) })
  }
  const config = parseConfig({
    baseUrl: server.baseUrl,
    apiKey: secretKey,
    clock: { now: clock.now, schedule },
    random: () => 0.5,
    fetch,
    attemptTimeout,
    maxRetries,
  })
  const client = createOperations({ ...routes, unsafe: unsafeRoutes }, config, createCallRunner(config).run) as Client
  const [result] = await Promise.allSettled([operation.call(client, { signal: controller.signal, timeout })])
  await server.idle()
  const failed = server.requests.slice(operation.before.length, operation.before.length + failures + 1)
  return {
    result: result as PromiseSettledResult<unknown>,
    requests: server.requests.length,
    delays,
    keys: new Set(failed.map(({ headers }) => headers['idempotency-key'])),
    timers: clock.pending(),
  }
}
