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
   * Advances the time by `ms` milliseconds. Runs all timers that become due, ordered by their due time. Timers start
   * deliveries and retries, for example, and end the delays of clients that use this clock.
   */
  advance(ms: number): Promise<void>
}

/** The clock with additional methods that only the mock uses. */
export interface InternalClock extends MockClock {
  /**
   * Schedules a callback that a caller awaits. The time advances to that callback automatically, unless the clock is
   * manual.
   */
  scheduleAwaited(callback: () => void, delayMs: number): () => void
  /**
   * Schedules the end of a wait for an event that may never occur. While `isIdle` returns `true`, the time does not
   * advance automatically to the end of the wait. Instead, the wait ends after `delayMs` of real time, unless the clock is
   * manual. Without this rule, a client that waits for events in a loop would advance the time by days.
   */
  scheduleUnexpected(callback: () => void, delayMs: number, isIdle: () => boolean): () => void
  /** Stops the time from advancing automatically until the returned function is called. */
  markBusy(): () => void
  /**
   * Stops the time from advancing automatically while a receiver under test handles a request, until the returned function
   * is called. The time advances nevertheless while an awaited timer exists that was added since, because the receiver may
   * itself wait on this clock.
   */
  markReceiving(): () => void
  /** Removes all timers and returns to the start time. */
  reset(): void
}

interface Timer {
  readonly dueAt: number
  readonly isAwaited: boolean
  readonly callback: () => void
  /** Returns whether the mock is idle. While the mock is idle, the time does not advance to this timer automatically. */
  readonly isIdle?: () => boolean
}

// Read at import, so that a test's fake timers do not block the mock.
const { setTimeout, clearTimeout, setImmediate } = globalThis as Pick<typeof globalThis, 'setTimeout' | 'clearTimeout'> & {
  setImmediate?: (callback: () => void) => unknown
}
const nextTurn = (): Promise<void> => new Promise((resolve) => void (setImmediate ? setImmediate(resolve) : setTimeout(resolve, 0)))

// Work after a timer, such as reading a body, may take several turns of the event loop.
const idleTurns = 3

/** Creates a clock that starts at `startMs`. */
export const createClock = (options: { startMs: number; isManual: boolean }): InternalClock => {
  let now = options.startMs
  let busyCount = 0
  let isAdvancing = false
  const timers = new Set<Timer>()
  /** The awaited timers that were added since each receiver started to handle its request. */
  const receivers = new Set<Set<Timer>>()

  const nextDueTimer = (untilMs: number): Timer | undefined => {
    let first: Timer | undefined
    for (const timer of timers) if (timer.dueAt <= untilMs && (!first || timer.dueAt < first.dueAt)) first = timer
    return first
  }

  const isBusy = (): boolean => busyCount > 0 || [...receivers].some((awaited) => ![...awaited].some((timer) => timers.has(timer)))

  const waitUntilIdle = async (): Promise<void> => {
    for (let quiet = 0; quiet < idleTurns; quiet = isBusy() ? 0 : quiet + 1) await nextTurn()
  }

  const fire = (timer: Timer): void => {
    timers.delete(timer)
    now = Math.max(now, timer.dueAt)
    timer.callback()
  }

  const isAwaited = (): boolean => {
    for (const timer of timers) if (timer.isAwaited) return true
    return false
  }

  /**
   * Repeatedly waits until no work is in progress, then advances to the next timer and runs it. Stops when no awaited
   * timer is left, or when `isIdle` of the next timer returns `true`.
   */
  const advanceWhileAwaited = async (): Promise<void> => {
    isAdvancing = true
    for (;;) {
      await waitUntilIdle()
      const next = isAwaited() ? nextDueTimer(Number.POSITIVE_INFINITY) : undefined
      if (!next || next.isIdle?.()) break
      fire(next)
    }
    isAdvancing = false
  }

  const advanceIfAwaited = () => {
    if (isAwaited() && !options.isManual && !isAdvancing) void advanceWhileAwaited()
  }

  const add = (timer: Timer) => {
    timers.add(timer)
    if (timer.isAwaited) for (const awaited of receivers) awaited.add(timer)
    advanceIfAwaited()
    return () => void timers.delete(timer)
  }

  const addUnexpected = (timer: Timer) => {
    const remove = add(timer)
    if (options.isManual) return remove
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
    scheduleAwaited: (callback, delayMs) => add({ dueAt: now + delayMs, isAwaited: true, callback }),
    scheduleUnexpected: (callback, delayMs, isIdle) => addUnexpected({ dueAt: now + delayMs, isAwaited: true, callback, isIdle }),
    advance: async (ms) => {
      const until = now + ms
      await waitUntilIdle()
      for (let timer = nextDueTimer(until); timer; timer = nextDueTimer(until)) {
        fire(timer)
        await waitUntilIdle()
      }
      now = Math.max(now, until)
    },
    markBusy: () => {
      let isBusy = true
      busyCount += 1
      return () => {
        if (isBusy) busyCount -= 1
        isBusy = false
      }
    },
    markReceiving: () => {
      const awaited = new Set<Timer>()
      receivers.add(awaited)
      return () => void receivers.delete(awaited)
    },
    reset: () => {
      timers.clear()
      receivers.clear()
      now = options.startMs
    },
  }
}
