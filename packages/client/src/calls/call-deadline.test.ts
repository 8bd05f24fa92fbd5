import { expect, it, vi } from 'vitest'
import { systemClock } from './call-deadline.ts'

it('stays monotonic when the system time is set back', () => {
  const before = systemClock.now()
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 3_600_000 })
  try {
    expect(systemClock.now()).toBeGreaterThanOrEqual(before)
    expect(systemClock.now() - before).toBeLessThan(60_000)
  } finally {
    vi.useRealTimers()
  }
})
