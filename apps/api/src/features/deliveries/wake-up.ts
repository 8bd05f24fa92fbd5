import type { Clock } from '../../shared/clock.ts'

/** A sleep that can be ended from outside. */
export interface WakeUp {
  /** Ends the present sleep, or the next one when nobody sleeps: there may be new work. */
  now(): void
  /** As {@link WakeUp.now}, because there is room for more, and not because there is more. */
  room(): void
  /** As {@link WakeUp.now}, at an instant; the soonest one counts. */
  at(instant: Date): void
  /** Sleeps at most so long, in milliseconds, and says whether there may be new work since the last time. */
  next(longestMs: number): Promise<boolean>
  stop(): void
}

// The database's clock may be a little behind, and a job that is claimed too soon is not found.
const lateMs = 5

export const createWakeUp = (clock: Clock): WakeUp => {
  let signaled = Promise.withResolvers<void>()
  let news = false
  let soonest = Number.POSITIVE_INFINITY
  let alarm: NodeJS.Timeout | undefined

  const room = () => signaled.resolve()
  const now = () => {
    news = true
    room()
  }
  const ring = () => {
    soonest = Number.POSITIVE_INFINITY
    now()
  }

  return {
    now,
    room,
    at: (instant) => {
      const at = instant.getTime() + lateMs
      if (at >= soonest) return
      clearTimeout(alarm)
      soonest = at
      // A timer holds at most 2^31-1 ms; what is further away is found by polling.
      const inMs = Math.max(0, at - clock.now().getTime())
      if (inMs < 2 ** 31) alarm = setTimeout(ring, inMs)
    },
    next: async (longestMs) => {
      const timer = setTimeout(now, longestMs)
      await signaled.promise
      clearTimeout(timer)
      signaled = Promise.withResolvers()
      const wasNews = news
      news = false
      return wasNews
    },
    stop: () => clearTimeout(alarm),
  }
}
