import type { Clock } from '@flowpost/client'

/** Schedules the timers of time limits. */
export type Timers = Pick<Clock, 'schedule'>

/** The timers of the platform. */
export const platformTimers: Timers = {
  schedule: (callback, delayMs) => {
    const timer = setTimeout(callback, delayMs)
    return () => clearTimeout(timer)
  },
}

/** A time limit. */
export interface Deadline {
  readonly timers: Timers
  readonly limitMs: number
  /** Creates the error for work that takes longer. */
  readonly createError: () => Error
}

/**
 * Runs work with a time limit. The signal of the work aborts when the limit is reached. It also aborts when the work
 * ends, so that requests that the work did not await stop too.
 *
 * @throws The error of the deadline as soon as the limit is reached, even if the work ignores its signal.
 */
export const runWithDeadline = async <T>(
  { timers, limitMs, createError }: Deadline,
  work: (signal: AbortSignal) => PromiseLike<T>,
): Promise<T> => {
  const controller = new AbortController()
  let cancelTimer = () => {}
  const expired = new Promise<never>((_, reject) => {
    cancelTimer = timers.schedule(() => {
      const error = createError()
      controller.abort(error)
      reject(error)
    }, limitMs)
  })
  try {
    return await Promise.race([work(controller.signal), expired])
  } finally {
    cancelTimer()
    controller.abort(new DOMException('The work has ended.', 'AbortError'))
  }
}
