import { createAsyncScope } from './async-scope.ts'

// Saves the real timers when this module is imported, so that a test's fake timers do not block the mock.
const { setTimeout, clearTimeout } = globalThis

/** The time limit for an event receiver's response, in milliseconds on the mock's clock. The server has the same limit. */
export const maxResponseMs = 15_000

/** A test's callback that is in progress, such as an event receiver. */
interface RunningCallback<Timer> {
  readonly startedAt: number
  /** Whether the mock cannot tell which timers the callback adds. */
  readonly isDetached: boolean
  /** The timers for which the callback may be waiting. */
  readonly timers: Set<Timer>
  /** Whether the callback has run for longer than its real-time limit. */
  isHanging: boolean
  /** Cancels the timer of the real-time limit. */
  stopLimit: () => void
}

/** A test's callbacks in progress, such as event receivers. The mock's clock stops while they work. */
export interface RunningCallbacks<Timer> {
  /** Runs a callback; see `InternalClock.runCallback`. */
  run<Result>(callback: () => Result | Promise<Result>, options?: RunCallbackOptions): Promise<Result>
  /** Records a timer that running callbacks may be waiting for. */
  addTimer(timer: Timer): void
  /**
   * Creates a function like `isTimeStopped` that ignores the callbacks from which `createOthersCheck` was called, directly or
   * indirectly. The clock's `advance` waits while the function returns `true`. A callback may itself call `advance`. If
   * `advance` did not ignore this callback, each could wait for the other.
   */
  createOthersCheck(): () => boolean
  /** Returns whether any callback currently stops the mock's clock. */
  isTimeStopped(): boolean
  /**
   * Must be called after the clock has advanced. Updates the callbacks that no longer stop the clock because they have
   * exceeded their real-time limit:
   * - A callback that has run for at least `maxResponseMs` of clock time is abandoned. It never stops the clock again.
   * - Any other callback may have been waiting for the clock to advance. It gets a new real-time limit, and can stop the
   *   clock again.
   */
  onTimePassed(): void
  /** Forgets all callbacks. */
  clear(): void
}

/** Options of `runCallback`. */
export interface RunCallbackOptions {
  /** Whether the callback's work happens elsewhere, for example in a server to which the callback sends a request. */
  readonly isDetached?: boolean
}

/** The dependencies of {@link createRunningCallbacks}. */
export interface RunningCallbacksDeps<Timer> {
  readonly now: () => number
  /** Returns whether a timer has neither run nor been canceled. */
  readonly isPending: (timer: Timer) => boolean
  /** The maximum real time in milliseconds for which a running callback stops the mock's clock. */
  readonly maxCallbackMs: number
}

/** Creates an empty set of running callbacks for a clock. */
export const createRunningCallbacks = <Timer extends { readonly dueAt: number }>({
  now,
  isPending,
  maxCallbackMs,
}: RunningCallbacksDeps<Timer>): RunningCallbacks<Timer> => {
  type Running = RunningCallback<Timer>
  let limitMs = maxCallbackMs
  const callbacks = new Set<Running>()
  /** The callbacks from which the current code was called, directly or indirectly. */
  const callers = createAsyncScope<readonly Running[]>()
  const runningCallers = (): readonly Running[] => (callers.get() ?? []).filter((caller) => callbacks.has(caller))

  const startLimit = (running: Running): void => {
    running.isHanging = false
    const timer = setTimeout(() => {
      running.isHanging = true
    }, limitMs)
    running.stopLimit = () => clearTimeout(timer)
  }

  const stopsTime = (running: Running): boolean => !running.isHanging && ![...running.timers].some(isPending)

  const anyStopsTime = (ignored: readonly Running[]): boolean =>
    [...callbacks].some((running) => stopsTime(running) && !ignored.includes(running))

  const abandon = (running: Running): void => {
    callbacks.delete(running)
    limitMs = Math.max(limitMs / 4, maxCallbackMs / 8)
  }

  return {
    run: async (callback, { isDetached = false } = {}) => {
      const running: Running = {
        startedAt: now(),
        isDetached: isDetached || !callers.isSupported,
        timers: new Set(),
        isHanging: false,
        stopLimit: () => {},
      }
      callbacks.add(running)
      startLimit(running)
      try {
        const result = await callers.run([...runningCallers(), running], callback)
        limitMs = maxCallbackMs
        return result
      } catch (error) {
        // This callback has ended with an error, so later callbacks get the full real-time limit again. But if this callback
        // was abandoned, the limit stays short, because the callback may have ended only because the mock aborted its request.
        // An abandoned callback is no longer in `callbacks`.
        if (callbacks.has(running)) limitMs = maxCallbackMs
        throw error
      } finally {
        running.stopLimit()
        callbacks.delete(running)
      }
    },
    addTimer: (timer) => {
      const current = runningCallers()
      for (const running of callbacks) {
        // If `current` is empty, the mock cannot tell who added the timer. Then each callback with `isDetached` may be waiting
        // for the timer, unless the callback's time limit (`maxResponseMs`) ends before the timer is due.
        const mayWait = running.isDetached && current.length === 0 && timer.dueAt < running.startedAt + maxResponseMs
        if (mayWait || current.includes(running)) running.timers.add(timer)
      }
    },
    createOthersCheck: () => {
      const ignored = runningCallers()
      return () => anyStopsTime(ignored)
    },
    isTimeStopped: () => anyStopsTime([]),
    onTimePassed: () => {
      for (const running of callbacks) {
        if (!running.isHanging) continue
        if (now() - running.startedAt >= maxResponseMs) abandon(running)
        else startLimit(running)
      }
    },
    clear: () => {
      for (const { stopLimit } of callbacks) stopLimit()
      callbacks.clear()
      limitMs = maxCallbackMs
    },
  }
}
