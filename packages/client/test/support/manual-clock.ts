import type { Clock } from '../../src/calls/call-deadline.ts'

interface Timer {
  readonly dueAt: number
  readonly delayMs: number
  readonly callback: () => void
}

/** A clock that only a test advances. */
export interface ManualClock extends Clock {
  /** Advances the time and runs the timers that are due, in order. */
  advance(ms: number): void
  /** Waits for a timer of exactly `delayMs`, then advances the time by `delayMs`. */
  elapse(delayMs: number): Promise<void>
  /** Resolves when there is a timer of exactly `delayMs`. */
  scheduled(delayMs: number): Promise<void>
  /** The number of pending timers. */
  pending(): number
}

/** Creates a clock that starts at `startMs`. */
export const createManualClock = (startMs = Date.UTC(2026, 10, 21)): ManualClock => {
  let now = startMs
  const timers = new Set<Timer>()
  const listeners = new Set<() => void>()

  const advance = (ms: number) => {
    const until = now + ms
    for (;;) {
      const [next] = [...timers].filter(({ dueAt }) => dueAt <= until).sort((a, b) => a.dueAt - b.dueAt)
      if (!next) break
      timers.delete(next)
      now = next.dueAt
      next.callback()
    }
    now = until
  }

  const scheduled = (delayMs: number) =>
    new Promise<void>((resolve) => {
      const check = () => {
        if (![...timers].some((timer) => timer.delayMs === delayMs)) return
        listeners.delete(check)
        resolve()
      }
      listeners.add(check)
      check()
    })

  return {
    now: () => now,
    schedule: (callback, delayMs) => {
      // Native timers fire immediately for delays outside this range.
      if (!(delayMs >= 0 && delayMs < 2 ** 31)) throw new RangeError(`Invalid delay: ${delayMs}`)
      const timer = { dueAt: now + delayMs, delayMs, callback }
      timers.add(timer)
      for (const listener of listeners) listener()
      return () => timers.delete(timer)
    },
    advance,
    scheduled,
    elapse: async (delayMs) => {
      await scheduled(delayMs)
      advance(delayMs)
    },
    pending: () => timers.size,
  }
}
