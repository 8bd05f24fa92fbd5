import type { ConformanceTarget, Timers } from '../../src/conformance/index.ts'
import type { FlowpostMock } from '../../src/index.ts'
import { mockTarget } from './mock-target.ts'

/** A request to a broken target. */
export interface BrokenRequest {
  readonly method: string
  readonly url: URL
  readonly signal: AbortSignal
  /** Sends the request to the mock. */
  readonly forward: () => Promise<Response>
}

/** Creates a target whose requests go through `handle`. */
export const brokenTarget = (mock: FlowpostMock, handle: (request: BrokenRequest) => Promise<Response>): ConformanceTarget =>
  mockTarget(mock, {
    fetch: (input, init) => {
      const { method = 'GET', signal } = init
      if (!signal) throw new Error('The request has no signal.')
      return handle({ method, url: new URL(input), signal, forward: () => mock.fetch(input, init) })
    },
  })

/** Waits for a response that never arrives. Calls `onWaiting` when the wait starts. */
export const neverRespond = ({ signal }: BrokenRequest, onWaiting: () => void): Promise<never> =>
  new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason))
    setImmediate(onWaiting)
  })

/** Timers that fire only on request. */
export interface ManualTimers extends Timers {
  /** Fires the running timers. */
  expire(): void
  /** The delays of all timers so far, in milliseconds. */
  readonly delays: readonly number[]
}

/** Creates timers that fire only on request. */
export const createManualTimers = (): ManualTimers => {
  const running = new Set<() => void>()
  const delays: number[] = []
  return {
    delays,
    schedule: (callback, delayMs) => {
      delays.push(delayMs)
      running.add(callback)
      return () => void running.delete(callback)
    },
    expire: () => {
      for (const callback of [...running]) {
        running.delete(callback)
        callback()
      }
    },
  }
}
