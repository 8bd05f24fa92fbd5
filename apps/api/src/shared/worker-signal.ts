/** The signal that wakes a waiting worker. */
export interface WorkerSignal {
  /** Signals that there may be new jobs. Ends the current wait, or the next one if the worker is not waiting. */
  notify(): void
  /** Signals that there is capacity for more jobs. Ends the wait without reporting new jobs. */
  notifyCapacity(): void
  /** Calls `notify` after a delay, in milliseconds. If several delays are pending, only the one that ends first has an effect. */
  wakeAfter(delayMs: number): void
  /**
   * Waits for a signal, at most `maxMs` milliseconds. Returns whether there may be new jobs: `true` after `notify` or after
   * `maxMs`, and `false` if only `notifyCapacity` was called.
   */
  wait(maxMs: number): Promise<boolean>
  stop(): void
}

// A claim slightly before the due time finds nothing, so the timer fires slightly late.
const lateMs = 5
// The maximum delay of a Node.js timer. Jobs that are due after a longer delay are found by polling.
const maxTimerMs = 2 ** 31 - 1

/**
 * Creates the signal for one worker.
 * @param nowMs a monotonic clock, in milliseconds.
 */
export const createWorkerSignal = (nowMs: () => number): WorkerSignal => {
  let signaled = Promise.withResolvers<void>()
  let hasNewJobs = false
  let timerEndsMs = Number.POSITIVE_INFINITY
  let wakeTimer: NodeJS.Timeout | undefined

  const notifyCapacity = () => signaled.resolve()
  const notify = () => {
    hasNewJobs = true
    notifyCapacity()
  }
  const onTimer = () => {
    timerEndsMs = Number.POSITIVE_INFINITY
    notify()
  }

  return {
    notify,
    notifyCapacity,
    wakeAfter: (delayMs) => {
      const inMs = Math.max(0, delayMs) + lateMs
      if (inMs > maxTimerMs || nowMs() + inMs >= timerEndsMs) return
      clearTimeout(wakeTimer)
      timerEndsMs = nowMs() + inMs
      wakeTimer = setTimeout(onTimer, inMs)
    },
    wait: async (maxMs) => {
      const timer = setTimeout(notify, maxMs)
      await signaled.promise
      clearTimeout(timer)
      signaled = Promise.withResolvers()
      const result = hasNewJobs
      hasNewJobs = false
      return result
    },
    stop: () => clearTimeout(wakeTimer),
  }
}
