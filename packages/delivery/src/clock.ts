/** Time as the package sees it; tests pass their own. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number
  /** Runs the callback once after `delayMs`; the answer cancels it. The timer must not keep the process alive. */
  readonly setTimer: (callback: () => void, delayMs: number) => () => void
}

/** The clock of the machine. */
export const systemClock: Clock = {
  now: () => Date.now(),
  setTimer: (callback, delayMs) => {
    const timer = setTimeout(callback, delayMs)
    timer.unref()
    return () => clearTimeout(timer)
  },
}
