/** Where the client takes the time from, so that tests need not wait. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number
  /** Runs `callback` once after `delayMs` milliseconds, unless the function that it returns is called before. */
  schedule(callback: () => void, delayMs: number): () => void
}

/** The clock of the machine. */
export const systemClock: Clock = {
  now: () => Date.now(),
  schedule: (callback, delayMs) => {
    const timer = setTimeout(callback, delayMs)
    return () => clearTimeout(timer)
  },
}
