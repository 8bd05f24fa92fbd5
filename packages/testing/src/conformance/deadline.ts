import type { Clock } from '@flowpost/client'

/** A scheduler for time limits. */
export type Timers = Pick<Clock, 'schedule'>

/** Timers that use the platform's `setTimeout`. */
export const platformTimers: Timers = {
  schedule: (callback, delayMs) => {
    const timer = setTimeout(callback, delayMs)
    return () => clearTimeout(timer)
  },
}

/** A time limit, and the error for work that exceeds it. */
export interface Deadline {
  readonly timers: Timers
  readonly limitMs: number
  /** Creates the error for work that exceeds the limit. */
  readonly createError: () => Error
}

/**
 * Runs `work` with a time limit. The signal passed to `work` aborts when the limit is reached. The signal also aborts
 * when `work` ends, which stops any requests that `work` did not await.
 *
 * @throws The error from `createError` as soon as the limit is reached, even if `work` ignores the signal.
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
    controller.abort(new DOMException('Aborted because the scenario or cleanup has ended.', 'AbortError'))
  }
}
