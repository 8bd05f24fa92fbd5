/** A source of time, replaceable in tests. */
export interface Clock {
  /** Milliseconds since an arbitrary fixed moment. Must be monotonic, so not the time of day. */
  now(): number
  /** Runs `callback` once after `delayMs` milliseconds. Returns a function that cancels it. */
  schedule(callback: () => void, delayMs: number): () => void
}

/** The monotonic clock of the platform. Changes of the system time do not affect deadlines. */
export const systemClock: Clock = {
  now: () => performance.now(),
  schedule: (callback, delayMs) => {
    const timer = setTimeout(callback, delayMs)
    return () => clearTimeout(timer)
  },
}

/**
 * The deadline of one call, which also ends when its caller aborts it.
 * Not an `AbortSignal`, because its listeners cost time on each call: only `fetch` needs one, so only attempts get one.
 */
export interface AbortScope {
  /** The reason of the abort, or `undefined`. `expired` is true when the deadline passed. */
  aborted(): { readonly reason: unknown; readonly expired: boolean } | undefined
  /** Milliseconds until the deadline. */
  remainingMs(): number
  /** Aborts the call, unless it is aborted already. */
  abort(reason: unknown): void
  /** @throws The abort reason, if the call is aborted. */
  throwIfAborted(): void
  /**
   * Runs one part of the call with a fresh signal. Parts must run one after the other.
   * Rejects as soon as the call is aborted or `timeoutMs` milliseconds have passed, even when `part` ignores the signal.
   */
  run<T>(timeoutMs: number, part: (signal: AbortSignal) => Promise<T>): Promise<T>
  /** Waits for `delayMs` milliseconds. Rejects with the abort reason when the call is aborted. */
  sleep(delayMs: number): Promise<void>
  /** Releases the timer and the listener on the parent signal. */
  close(): void
}

/** Creates a scope that aborts after `timeoutMs` milliseconds or when `parent` aborts, whichever is first. */
export const createAbortScope = (clock: Clock, timeoutMs: number, parent?: AbortSignal): AbortScope => {
  const expiresAt = clock.now() + timeoutMs
  let state: ReturnType<AbortScope['aborted']>
  // Aborts the current part. Has no effect when that part has ended.
  let abortPart: ((reason: unknown) => void) | undefined
  const abort = (reason: unknown, expired = false) => {
    if (state) return
    state = { reason, expired }
    abortPart?.(reason)
  }
  const clearDeadline = clock.schedule(() => abort(undefined, true), timeoutMs)
  const onAbort = () => abort(parent?.reason)
  if (parent?.aborted) onAbort()
  else parent?.addEventListener('abort', onAbort)

  const throwIfAborted = () => {
    if (state) throw state.reason
  }
  const run: AbortScope['run'] = (limitMs, part) =>
    new Promise((resolve, reject) => {
      throwIfAborted()
      const controller = new AbortController()
      const stop = (reason: unknown) => {
        clearLimit()
        reject(reason)
        controller.abort(reason)
      }
      const clearLimit = clock.schedule(() => stop(new Error(`no response within ${limitMs} ms`)), limitMs)
      abortPart = stop
      part(controller.signal).then(resolve, reject).then(clearLimit)
    })

  return {
    aborted: () => state,
    remainingMs: () => expiresAt - clock.now(),
    abort,
    throwIfAborted,
    run,
    // The part never ends on its own, so its time limit ends the sleep. That rejection is expected.
    sleep: (delayMs) => run<void>(delayMs, () => new Promise(() => {})).catch(throwIfAborted),
    close: () => {
      clearDeadline()
      parent?.removeEventListener('abort', onAbort)
    },
  }
}
