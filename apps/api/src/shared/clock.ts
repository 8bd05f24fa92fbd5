/** A source of the current time, which tests can replace. */
export interface Clock {
  /** Returns the current instant. */
  now(): Date
}

/**
 * Returns the timestamp to store for a change to a row that the caller has locked: the current time, or 1 ms after the
 * row's `updated_at` if that is later. `updated_at` can be in the future if a process whose clock is ahead has set it.
 */
export const timeOfChange = (clock: Clock, row: { readonly updated_at: string | Date }): Date =>
  new Date(Math.max(clock.now().getTime(), new Date(row.updated_at).getTime() + 1))

/** This machine's clock. */
export const systemClock: Clock = { now: () => new Date() }
