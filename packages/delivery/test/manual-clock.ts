import type { Clock } from '../src/index.ts'

/** A clock whose time changes only when a test advances it. */
export interface ManualClock extends Clock {
  /** Advances the time and runs the due timers in order. */
  readonly advance: (ms: number) => void
  /** The number of pending timers. */
  readonly pending: () => number
}

/** Creates a manual clock. */
export function createManualClock(start = Date.parse('2026-01-02T03:04:05Z')): ManualClock {
  let now = start
  const timers = new Set<{ readonly dueAt: number; readonly callback: () => void }>()
  return {
    now: () => now,
    setTimer(callback, delayMs) {
      const timer = { dueAt: now + delayMs, callback }
      timers.add(timer)
      return () => timers.delete(timer)
    },
    advance(ms) {
      const end = now + ms
      for (;;) {
        const [next] = [...timers].filter(({ dueAt }) => dueAt <= end).sort((a, b) => a.dueAt - b.dueAt)
        if (!next) break
        now = Math.max(now, next.dueAt)
        timers.delete(next)
        next.callback()
      }
      now = end
    },
    pending: () => timers.size,
  }
}
