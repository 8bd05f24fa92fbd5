import type { Uuid } from '../../../shared/ids.ts'

/** Decides which projects to claim endpoints of, and when. */
export interface PushSchedule {
  /** Schedules a claim for a project that has new events, and further claims, because the events may not be readable yet. */
  onEvents(projectId: Uuid): void
  /** Schedules one claim for a project. */
  claimSoon(projectId: Uuid): void
  /** Schedules a sweep: a claim for all projects. */
  sweepSoon(): void
  /** Delays the next sweep in proportion to the duration of the last one, in milliseconds. */
  onSweepEnd(durationMs: number): void
  /** Sets whether new events are announced to this process, and schedules a sweep. */
  setListening(isListening: boolean): void
  /** Returns the projects to claim endpoints of now; `null` stands for all projects. */
  take(): readonly Uuid[] | null
  /** Returns the time until the next scheduled claim, in milliseconds. */
  waitMs(): number
}

// While events may be waiting, their projects are examined this often.
const pollMs = 1_000
// A sweep reads every endpoint, because some work is not announced, such as the retries of a process that has ended.
const sweepMs = 30_000
// Events become readable when older transactions have ended, which nothing announces. After this time, only sweeps look for them.
const recentMs = 60_000
// Sweeps use at most a tenth of the time of a database connection.
const pausePerSweep = 9

/**
 * Creates a schedule. It begins with a sweep.
 * @param nowMs a monotonic clock, in milliseconds.
 */
export const createPushSchedule = (nowMs: () => number): PushSchedule => {
  const due = new Set<Uuid>()
  const recent = new Map<Uuid, number>()
  // Sweeps are frequent until this time, because earlier events were not announced, and leases of an ended process may remain.
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
