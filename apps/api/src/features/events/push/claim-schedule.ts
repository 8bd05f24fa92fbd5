import type { Uuid } from '../../../shared/ids.ts'

/** Decides when to claim endpoints, and for which projects. */
export interface ClaimSchedule {
  /**
   * Schedules a claim of a project's endpoints after an announcement of new events. The claim is repeated for one
   * minute, because the events may not be readable yet.
   */
  onEvents(projectId: Uuid): void
  /** Schedules one claim of a project's endpoints. */
  claimSoon(projectId: Uuid): void
  /** Schedules a sweep: a claim of the endpoints of all projects. */
  sweepSoon(): void
  /** Delays the next sweep in proportion to `durationMs`, the duration of the last sweep in milliseconds. */
  onSweepEnd(durationMs: number): void
  /** Records whether this process receives announcements of new events. Also schedules a sweep. */
  setListening(isListening: boolean): void
  /** Removes the due claims from the schedule. Returns their projects, or `null` for all projects. */
  take(): readonly Uuid[] | null
  /** Returns the time until the next scheduled claim, in milliseconds. */
  waitMs(): number
}

// The interval between claims for a project with recently announced events, and the interval between frequent sweeps.
const pollMs = 1_000
// The interval between sweeps. Sweeps find work that is not announced, such as retries that were scheduled by a process
// that has ended.
const sweepMs = 30_000
// An event becomes readable only when all older transactions have ended, and no NOTIFY reports that. So claims for a project
// are repeated for this long after the last NOTIFY about its events. If an event takes even longer to become readable, a sweep
// finds it.
const recentMs = 60_000
// The pause after a sweep is nine times as long as the sweep, but at most `pollMs`. A database connection therefore spends
// at most a tenth of its time on sweeps, unless a sweep takes longer than about 0.1 s.
const pausePerSweep = 9

/**
 * Creates a schedule that begins with a sweep.
 * @param nowMs a monotonic clock, in milliseconds.
 */
export const createClaimSchedule = (nowMs: () => number): ClaimSchedule => {
  const due = new Set<Uuid>()
  const recent = new Map<Uuid, number>()
  // Sweeps are frequent until this time. Events stored before this process started were not announced to it, and leases
  // of ended processes may remain.
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
