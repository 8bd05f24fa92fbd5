/** The signal that a worker waits for. */
export interface WorkerSignal {
  /** There may be new jobs: ends the current wait, or the next one when nobody waits. */
  notify(): void
  /** There is capacity for more jobs: ends the wait without claiming that there are new ones. */
  notifyCapacity(): void
  /** Notifies after a delay, in milliseconds. The earliest one counts. */
  wakeAfter(delayMs: number): void
  /** Waits at most `maxMs` and returns whether there may be new jobs since the last wait. */
  wait(maxMs: number): Promise<boolean>
  stop(): void
}

// A job that is claimed slightly too early is not found, so the alarm is slightly late.
const lateMs = 5
// The longest timer of Node; what is due later is found by polling.
const maxTimerMs = 2 ** 31 - 1

/** @param nowMs a monotonic clock, in milliseconds. */
export const createWorkerSignal = (nowMs: () => number): WorkerSignal => {
  let signaled = Promise.withResolvers<void>()
  let hasNewJobs = false
  let alarmMs = Number.POSITIVE_INFINITY
  let alarm: NodeJS.Timeout | undefined

  const notifyCapacity = () => signaled.resolve()
  const notify = () => {
    hasNewJobs = true
    notifyCapacity()
  }
  const ring = () => {
    alarmMs = Number.POSITIVE_INFINITY
    notify()
  }

  return {
    notify,
    notifyCapacity,
    wakeAfter: (delayMs) => {
      const inMs = Math.max(0, delayMs) + lateMs
      if (inMs > maxTimerMs || nowMs() + inMs >= alarmMs) return
      clearTimeout(alarm)
      alarmMs = nowMs() + inMs
      alarm = setTimeout(ring, inMs)
    },
    wait: async (maxMs) => {
      const timer = setTimeout(notify, maxMs)
      await signaled.promise
      clearTimeout(timer)
      signaled = Promise.withResolvers()
      const had = hasNewJobs
      hasNewJobs = false
      return had
    },
    stop: () => clearTimeout(alarm),
  }
}
