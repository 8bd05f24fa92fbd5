/** The time of day, passed in so that tests need not wait for it. */
export interface Clock {
  /** The present instant. */
  now(): Date
}

/** The clock of the machine. */
export const systemClock: Clock = { now: () => new Date() }
