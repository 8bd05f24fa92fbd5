/** Where the client takes the time from, so that tests need not wait. */
export interface Clock {
  /** Milliseconds since any fixed moment. Must never go back, so not the time of day. */
  now(): number
  /** Runs `callback` once after `delayMs` milliseconds, unless the function that it returns is called before. */
  schedule(callback: () => void, delayMs: number): () => void
}

/** The monotonic clock of the machine: setting its time neither ends a call nor lets one run on. */
export const systemClock: Clock = {
  now: () => performance.now(),
  schedule: (callback, delayMs) => {
    const timer = setTimeout(callback, delayMs)
    return () => clearTimeout(timer)
  },
}
