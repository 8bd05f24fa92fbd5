import type { Clock } from '../src/clock.ts'

interface Timer {
  readonly dueAt: number
  readonly delayMs: number
  readonly callback: () => void
}

/** A clock that moves only when a test says so. */
export interface ManualClock extends Clock {
  /** Lets time pass and runs what is due, in order. */
  advance(ms: number): void
  /** Waits until somebody asks to be woken after exactly `delayMs`, then lets that time pass. */
  elapse(delayMs: number): Promise<void>
  /** Resolves when somebody asks to be woken after exactly `delayMs`. */
  scheduled(delayMs: number): Promise<void>
  /** How many timers run. */
  pending(): number
}

/** Makes a clock that stands still at `startMs`. */
export const manualClock = (startMs = Date.UTC(2026, 10, 21)): ManualClock => {
  let now = startMs
  const timers = new Set<Timer>()
  const waiting = new Set<() => void>()

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
      const look = () => {
        if (![...timers].some((timer) => timer.delayMs === delayMs)) return
        waiting.delete(look)
        resolve()
      }
      waiting.add(look)
      look()
    })

  return {
    now: () => now,
    schedule: (callback, delayMs) => {
      // What timers of the machine take; outside of it they fire at once.
      if (!(delayMs >= 0 && delayMs < 2 ** 31)) throw new RangeError(`Not a delay: ${delayMs}`)
      const timer = { dueAt: now + delayMs, delayMs, callback }
      timers.add(timer)
      for (const look of waiting) look()
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
