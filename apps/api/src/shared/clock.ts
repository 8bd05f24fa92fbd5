/** A source of the current time, which tests can replace. */
export interface Clock {
  /** Returns the current instant. */
  now(): Date
}

/**
 * Returns the time for a change to a row that the caller has locked. The time is always later than the row's last
 * change, even if that change was made by a process whose clock is ahead.
 */
export const timeOfChange = (clock: Clock, row: { readonly updated_at: string | Date }): Date =>
  new Date(Math.max(clock.now().getTime(), new Date(row.updated_at).getTime() + 1))

/** This machine's clock. */
export const systemClock: Clock = { now: () => new Date() }
