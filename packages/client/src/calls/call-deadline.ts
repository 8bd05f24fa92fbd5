/**
 * The maximum delay of a timer in milliseconds. A timer stores its delay in 32 bits. With a longer delay, the timer fires
 * immediately.
 */
export const maxTimerMs = 2 ** 31 - 1

/** A source of time, replaceable in tests. */
export interface Clock {
  /** Milliseconds since an arbitrary fixed moment. Must be monotonic, unlike the time of day. */
  now(): number
  /** Runs `callback` once after `delayMs` milliseconds. Returns a function that cancels the callback. */
  schedule(callback: () => void, delayMs: number): () => void
}

/** The monotonic clock of the platform. Changes to the system time do not affect deadlines. */
export const systemClock: Clock = {
  now: () => performance.now(),
  schedule: (callback, delayMs) => {
    const timer = setTimeout(callback, delayMs)
    return () => clearTimeout(timer)
  },
}

/**
 * The deadline of one call. `abort` ends the call before the deadline. Each step of the call, such as a request, gets a
 * new `AbortSignal` for `fetch`. A shared signal would be slower, because it would collect a listener from each step.
 */
export interface CallDeadline {
  /** Returns why the call was aborted, or `undefined` if it is not aborted. `expired` means that the deadline passed. */
  aborted(): { readonly reason: unknown; readonly expired: boolean } | undefined
  /** Returns the milliseconds until the deadline. */
  remainingMs(): number
  /** Aborts the call, unless it is aborted already. */
  abort(reason: unknown): void
  /** @throws The abort reason, if the call is aborted. */
  throwIfAborted(): void
  /**
   * Runs one step of the call with a new signal. Steps must run one after the other.
   * Rejects as soon as the call is aborted or `timeoutMs` milliseconds have passed, even when `step` ignores the signal.
   */
  run<T>(timeoutMs: number, step: (signal: AbortSignal) => Promise<T>): Promise<T>
  /** Waits for `delayMs` milliseconds, at most {@link maxTimerMs}. Rejects with the abort reason when the call is aborted. */
  sleep(delayMs: number): Promise<void>
  /** Releases the timer and the listener on the parent signal. */
  close(): void
}

/** Creates a deadline that passes after `timeoutMs` milliseconds. The call also ends when `parent` aborts. */
export const createCallDeadline = (clock: Clock, timeoutMs: number, parent?: AbortSignal): CallDeadline => {
  const expiresAt = clock.now() + timeoutMs
  let state: ReturnType<CallDeadline['aborted']>
  // Aborts the current step. Has no effect if the step has ended.
  let abortStep: ((reason: unknown) => void) | undefined
  const abort = (reason: unknown, expired = false) => {
    if (state) return
    state = { reason, expired }
    abortStep?.(reason)
  }
  const onAbort = () => abort(parent?.reason)
  if (parent?.aborted) onAbort()
  else parent?.addEventListener('abort', onAbort)
  const clearDeadline = clock.schedule(() => abort(undefined, true), timeoutMs)

  const throwIfAborted = () => {
    if (state) throw state.reason
  }
  const run: CallDeadline['run'] = (limitMs, step) =>
    new Promise((resolve, reject) => {
      throwIfAborted()
      const controller = new AbortController()
      const stop = (reason: unknown) => {
        clearLimit()
        reject(reason)
        controller.abort(reason)
      }
      const clearLimit = clock.schedule(() => stop(new Error(`no response within ${limitMs} ms`)), limitMs)
      abortStep = stop
      step(controller.signal).then(resolve, reject).then(clearLimit)
    })

  return {
    aborted: () => state,
    remainingMs: () => expiresAt - clock.now(),
    abort,
    throwIfAborted,
    run,
    // Here, `run` always rejects, because the step never ends. It rejects when the delay is over or the call is aborted.
    // If the call is aborted, `throwIfAborted` throws the abort reason. Otherwise, the delay is over, and `sleep` resolves.
    sleep: (delayMs) => run<void>(Math.min(delayMs, maxTimerMs), () => new Promise(() => {})).catch(throwIfAborted),
    close: () => {
      clearDeadline()
      parent?.removeEventListener('abort', onAbort)
    },
  }
}
