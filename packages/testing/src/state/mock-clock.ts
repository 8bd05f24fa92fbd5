import { createRunningCallbacks, type RunCallbackOptions } from './running-callbacks.ts'

/**
 * A mock's clock. `advance` advances the time. Unless the option `time` is `manual`, the time also advances automatically
 * while a client or a request waits.
 */
export interface MockClock {
  /** Returns the time in milliseconds since the epoch. */
  now(): number
  /** Runs `callback` once after `delayMs` milliseconds. Returns a function that cancels the timer. */
  schedule(callback: () => void, delayMs: number): () => void
  /**
   * Advances the time by `ms` milliseconds. Runs all timers that become due, ordered by their due time. For example, one
   * timer starts an attempt of a delivery. Another timer ends the time that a client waits before it repeats a request.
   *
   * @throws TypeError If `ms` is not a finite number of at least 0.
   */
  advance(ms: number): Promise<void>
}

/** The clock with additional methods that only the mock uses. */
export interface InternalClock extends MockClock {
  /**
   * Schedules a callback for which a caller waits. Unless the option `time` is `manual`, the time advances automatically
   * until the callback has run.
   */
  scheduleAwaited(callback: () => void, delayMs: number): () => void
  /**
   * Schedules the timeout of a wait for an event that may never occur. While `isIdle` returns `true`, the time does not advance
   * automatically to the timeout. Instead, `callback` runs after `delayMs` of real time, unless the clock is manual. If the
   * time did advance, a client that waits in a loop would advance the time by days.
   */
  scheduleUnexpected(callback: () => void, delayMs: number, isIdle: () => boolean): () => void
  /** Stops the time from advancing automatically until the returned function is called. */
  markBusy(): () => void
  /**
   * Schedules a timer for the code under test, for example for an event receiver. While the timer is pending, the receiver
   * that added it does not stop the time, because the receiver may be waiting for the timer. Other running receivers can
   * still stop the time; see `runCallback`.
   */
  scheduleExternal(callback: () => void, delayMs: number): () => void
  /**
   * Schedules the end of the time limit of a test's callback. As with `scheduleAwaited`, the time advances automatically
   * until the timer has run. A pending timer of `scheduleAwaited` prevents the callback that added it from stopping the time,
   * because that callback may be waiting for the timer. A timer of `scheduleLimit` does not prevent this, because no callback
   * waits for the end of its time limit. For how a callback stops the time, see `runCallback`.
   */
  scheduleLimit(callback: () => void, delayMs: number): () => void
  /**
   * Runs a callback that the test supplied, such as an event receiver. The time stops while the callback runs, except
   * in three cases:
   * - A timer that the callback added with `scheduleAwaited`, `scheduleUnexpected` or `scheduleExternal` is pending. The
   *   callback may be waiting for this timer. The mock cannot tell which timers the callback adds if the callback's work
   *   happens elsewhere (`isDetached`), or if the platform has no `AsyncLocalStorage`. In that case, the mock assumes that
   *   the callback added a timer if the timer is added while the callback runs, its origin is unknown, and it is due less
   *   than 15 s after the callback's start.
   * - The callback has run for `maxCallbackMs` of real time. It may be waiting for another kind of timer, or it may never
   *   settle. If the clock then advances, and the callback has run for less than 15 s of clock time, the callback can stop
   *   the clock for `maxCallbackMs` again. If it has run for 15 s or more, it never stops the clock again. Later callbacks
   *   then get a shorter real-time limit until one of them settles.
   * - The callback itself calls `advance`. That call does not wait for the callback.
   */
  runCallback<Result>(callback: () => Result | Promise<Result>, options?: RunCallbackOptions): Promise<Result>
  /** Removes all timers and returns to the start time. */
  reset(): void
}

interface Timer {
  readonly dueAt: number
  readonly isAwaited: boolean
  /** Whether a running callback can be waiting for this timer. */
  readonly mayBlockCallback?: boolean
  readonly callback: () => void
  /** The argument `isIdle` of {@link InternalClock.scheduleUnexpected}. Other timers have none. */
  readonly isIdle?: () => boolean
}

// Saves the real timers when this module is imported, so that a test's fake timers do not block the mock.
const { setTimeout, clearTimeout, setImmediate } = globalThis as Pick<typeof globalThis, 'setTimeout' | 'clearTimeout'> & {
  setImmediate?: (callback: () => void) => unknown
}

// Fake timers have a property `clock`. The timers are already fake here if fake timers were installed before this module was
// imported, for example by Jest's option `fakeTimers.enableGlobally`. Fake timers do not replace `MessageChannel`.
const usesChannel = Object.hasOwn(setTimeout, 'clock') && typeof MessageChannel === 'function'

const nextTurn = (): Promise<void> =>
  new Promise((resolve) => {
    if (!usesChannel) return void (setImmediate ? setImmediate(resolve) : setTimeout(resolve, 0))
    const { port1, port2 } = new MessageChannel()
    port1.addEventListener('message', () => {
      port1.close()
      resolve()
    })
    port1.start()
    port2.postMessage(undefined)
  })

// The work that a timer starts, such as reading a body, may take several turns of the event loop.
const idleTurns = 3

/** Options of a clock. */
export interface ClockOptions {
  /** The start time in milliseconds since the epoch. */
  readonly startMs: number
  readonly isManual: boolean
  /**
   * The maximum real time in milliseconds for which a running callback stops the mock's clock.
   * @default 2_000
   */
  readonly maxCallbackMs?: number
}

/** Creates a clock that starts at `startMs`. With `isManual`, its time advances only through `advance`. */
export const createClock = ({ startMs, isManual, maxCallbackMs = 2_000 }: ClockOptions): InternalClock => {
  let now = startMs
  let busyCount = 0
  let isAdvancing = false
  /** The number of calls of `advance` in progress. */
  let advanceCount = 0
  let resetCount = 0
  const timers = new Set<Timer>()
  const callbacks = createRunningCallbacks<Timer>({ now: () => now, isPending: (timer) => timers.has(timer), maxCallbackMs })

  const nextDueTimer = (untilMs: number): Timer | undefined => {
    let first: Timer | undefined
    for (const timer of timers) if (timer.dueAt <= untilMs && (!first || timer.dueAt < first.dueAt)) first = timer
    return first
  }

  const waitUntilIdle = async (isTimeStopped = callbacks.isTimeStopped): Promise<void> => {
    for (let quiet = 0; quiet < idleTurns; quiet = busyCount > 0 || isTimeStopped() ? 0 : quiet + 1) await nextTurn()
  }

  const passTo = (time: number): void => {
    now = Math.max(now, time)
    callbacks.onTimePassed()
  }

  const fire = (timer: Timer): void => {
    timers.delete(timer)
    passTo(timer.dueAt)
    timer.callback()
  }

  const isAwaited = (): boolean => {
    for (const timer of timers) if (timer.isAwaited) return true
    return false
  }

  /**
   * Advances the time to the next timer, runs the timer, and repeats this while any pending timer has `isAwaited`. Before each
   * timer, waits until no work is in progress. Stops before a timer whose `isIdle` returns `true`; see `scheduleUnexpected`.
   */
  const advanceWhileAwaited = async (): Promise<void> => {
    isAdvancing = true
    for (;;) {
      await waitUntilIdle()
      // While a call of `advance` is in progress, this loop runs no timers. Otherwise, a callback that calls `advance(1_000)`
      // could time out, because this loop could run the timer of the callback's time limit and so advance the time by 15 s.
      if (advanceCount > 0) continue
      const next = isAwaited() ? nextDueTimer(Number.POSITIVE_INFINITY) : undefined
      if (!next || next.isIdle?.()) break
      fire(next)
    }
    isAdvancing = false
  }

  const advanceIfAwaited = () => {
    if (isAwaited() && !isManual && !isAdvancing) void advanceWhileAwaited()
  }

  const add = (timer: Timer) => {
    timers.add(timer)
    if (timer.mayBlockCallback) callbacks.addTimer(timer)
    advanceIfAwaited()
    return () => void timers.delete(timer)
  }

  const addUnexpected = (timer: Timer) => {
    const remove = add(timer)
    if (isManual) return remove
    const atRealTime = () => {
      if (timers.has(timer)) fire(timer)
      advanceIfAwaited()
    }
    const realTimer = setTimeout(atRealTime, timer.dueAt - now)
    return () => {
      clearTimeout(realTimer)
      remove()
    }
  }

  return {
    now: () => now,
    schedule: (callback, delayMs) => add({ dueAt: now + delayMs, isAwaited: false, callback }),
    scheduleExternal: (callback, delayMs) => add({ dueAt: now + delayMs, isAwaited: false, mayBlockCallback: true, callback }),
    scheduleAwaited: (callback, delayMs) => add({ dueAt: now + delayMs, isAwaited: true, mayBlockCallback: true, callback }),
    scheduleLimit: (callback, delayMs) => add({ dueAt: now + delayMs, isAwaited: true, callback }),
    scheduleUnexpected: (callback, delayMs, isIdle) =>
      addUnexpected({ dueAt: now + delayMs, isAwaited: true, mayBlockCallback: true, callback, isIdle }),
    advance: async (ms) => {
      if (!(Number.isFinite(ms) && ms >= 0)) {
        const given = typeof ms === 'string' ? JSON.stringify(ms) : String(ms)
        throw new TypeError(`clock.advance requires a finite number of at least 0, not ${given}.`)
      }
      const until = now + ms
      const startedAfter = resetCount
      const isStoppedByOthers = callbacks.createOthersCheck()
      advanceCount += 1
      try {
        await waitUntilIdle(isStoppedByOthers)
        for (let timer = nextDueTimer(until); timer && resetCount === startedAfter; timer = nextDueTimer(until)) {
          fire(timer)
          await waitUntilIdle(isStoppedByOthers)
        }
      } finally {
        advanceCount -= 1
      }
      if (resetCount === startedAfter) passTo(until)
    },
    markBusy: () => {
      let isBusy = true
      busyCount += 1
      return () => {
        if (isBusy) busyCount -= 1
        isBusy = false
      }
    },
    runCallback: callbacks.run,
    reset: () => {
      resetCount += 1
      timers.clear()
      callbacks.clear()
      now = startMs
    },
  }
}
