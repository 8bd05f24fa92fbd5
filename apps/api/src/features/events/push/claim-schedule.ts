import type { Uuid } from '../../../shared/ids.ts'

/** Decides when to claim endpoints, and for which projects. */
export interface ClaimSchedule {
  /**
   * Called when a project has new events. Schedules a claim of the project's endpoints, and repeats the claim for one minute,
   * because the events may not be readable until older transactions have ended.
   */
  onEvents(projectId: Uuid): void
  /** Schedules one claim, which covers all endpoints of a project. */
  claimSoon(projectId: Uuid): void
  /** Schedules a sweep: a claim of the endpoints of all projects. */
  sweepSoon(): void
  /** Delays the next sweep in proportion to `durationMs`, the duration of the last sweep in milliseconds. */
  onSweepEnd(durationMs: number): void
  /**
   * Records whether this process receives announcements of new events. Schedules a sweep, because announcements may have
   * been missed.
   */
  setListening(isListening: boolean): void
  /** Removes the due claims from the schedule. Returns the ids of their projects; `null` means all projects. */
  take(): readonly Uuid[] | null
  /** Returns the time until the next scheduled claim, in milliseconds. */
  waitMs(): number
}

// The interval between the repeated claims for a project with new events. Until `frequentUntilMs`, it is also the interval
// between sweeps, which are claims for all projects.
const pollMs = 1_000
// The usual interval between sweeps. Sweeps find work that is not announced, such as retries that were scheduled by a process
// that has ended.
const sweepMs = 30_000
// A NOTIFY announces new events, but they become readable only after all older transactions have ended. PostgreSQL does not
// report that moment, so claims for a project are repeated for this long after the last NOTIFY about its events. A sweep finds
// events that become readable even later.
const recentMs = 60_000
// The pause after a sweep is nine times as long as the sweep, so that sweeps take at most a tenth of the time. Without this
// pause, sweeps would run almost without a break while endpoints wait for a slot (see `Slots`), because every slot that becomes
// free requests a sweep. The pause is at most `pollMs`. Sweeps of more than 111 ms (1,000 / 9) therefore take a larger share of
// the time.
const pausePerSweep = 9

/**
 * Creates a {@link ClaimSchedule}. The first claim that it schedules is for the endpoints of all projects.
 * @param nowMs a monotonic clock, in milliseconds.
 */
export const createClaimSchedule = (nowMs: () => number): ClaimSchedule => {
  const due = new Set<Uuid>()
  const recent = new Map<Uuid, number>()
  // Until this time, the interval between sweeps is `pollMs` instead of `sweepMs`, for two reasons. First, when this process
  // starts to listen, it has missed the NOTIFY for earlier events. One sweep may not find these events, because they may become
  // readable only later (see `recentMs`). Second, after a crash, endpoints stay leased for up to 30 s. Frequent sweeps find these
  // endpoints soon after their leases end.
  let frequentUntilMs = nowMs() + recentMs
  let pollAtMs = 0
  let sweepAtMs = 0
  let pauseEndsMs = 0

  const pollRecent = (now: number): void => {
    pollAtMs = now + pollMs
    for (const [projectId, atMs] of recent) {
      if (now - atMs > recentMs) recent.delete(projectId)
      else due.add(projectId)
    }
  }
  const nextSweepMs = () => Math.max(sweepAtMs, pauseEndsMs)

  return {
    onEvents: (projectId) => {
      recent.set(projectId, nowMs())
      due.add(projectId)
    },
    claimSoon: (projectId) => void due.add(projectId),
    sweepSoon: () => {
      sweepAtMs = 0
    },
    onSweepEnd: (durationMs) => {
      pauseEndsMs = nowMs() + Math.min(pausePerSweep * durationMs, pollMs)
    },
    setListening: (value) => {
      frequentUntilMs = value ? nowMs() + recentMs : Number.POSITIVE_INFINITY
      sweepAtMs = 0
    },
    take: () => {
      const now = nowMs()
      if (now >= pollAtMs) pollRecent(now)
      const isSweep = now >= nextSweepMs()
      if (isSweep) sweepAtMs = now + (now < frequentUntilMs ? pollMs : sweepMs)
      const projectIds = [...due]
      due.clear()
      return isSweep ? null : projectIds
    },
    waitMs: () => Math.max(0, Math.min(pollAtMs, nextSweepMs()) - nowMs()),
  }
}
