/** A source of the current time, which tests can replace. */
export interface Clock {
  /** Returns the current instant. */
  now(): Date
}

/** This machine's clock. */
export const systemClock: Clock = { now: () => new Date() }
