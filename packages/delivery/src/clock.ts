/** A source of time and timers. Tests use a clock that they control. */
export interface Clock {
  /** Returns the current time, in milliseconds since the Unix epoch. */
  readonly now: () => number
  /**
   * Calls the callback once, after `delayMs` milliseconds. Returns a function that cancels the timer. The timer must not
   * keep the process alive.
   */
  readonly setTimer: (callback: () => void, delayMs: number) => () => void
}

/** The system clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  setTimer: (callback, delayMs) => {
    const timer = setTimeout(callback, delayMs)
    timer.unref()
    return () => clearTimeout(timer)
  },
}

const stepMs = 500

/**
 * Calls `onTimeout` after `timeoutMs` milliseconds. Does not count the time during which the event loop is blocked or the
 * machine is suspended: the wait is a chain of 500 ms timers, and during such a pause at most one of them runs out.
 *
 * @returns A function that cancels the deadline.
 */
export function startDeadline(clock: Clock, timeoutMs: number, onTimeout: () => void): () => void {
  let cancel = () => {}
  const wait = (remainingMs: number): void => {
    const nextMs = Math.min(stepMs, remainingMs)
    // The timer of 0 ms gives the event loop one more turn, so that it reads responses that have already arrived.
    cancel = remainingMs > 0 ? clock.setTimer(() => wait(remainingMs - nextMs), nextMs) : clock.setTimer(onTimeout, 0)
  }
  wait(timeoutMs)
  return () => cancel()
}
