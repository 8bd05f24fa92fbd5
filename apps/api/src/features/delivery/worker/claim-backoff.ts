import type { Exclusions } from '../queue/queue.ts'

/** Delays claims while every due job belongs to a user or project at its concurrency limit. */
export interface ClaimBackoff {
  /**
   * Returns the time to wait before the next claim, in milliseconds. `Infinity` means to wait until jobs are added, or
   * until a user or project in `exclude` falls below its limit.
   * @param exclude the users and projects at their concurrency limits.
   * @param hasNewJobs whether jobs may have been added since the last claim.
   */
  delayMs(exclude: Exclusions, hasNewJobs: boolean): number
  /**
   * Records the result of a claim. Must be called after each claim.
   * @param exclude the users and projects whose jobs the claim skipped.
   * @param foundFewer whether the claim found fewer jobs than its limit.
   * @param tookMs the duration of the claim, in milliseconds.
   */
  claimed(exclude: Exclusions, foundFewer: boolean, tookMs: number): void
}

// A claim can take long, because it reads and skips every due job of the excluded users and projects. The next claim
// therefore waits four times as long as the last claim took. Claims then take at most a fifth of the time, unless
// `maxDelayMs` shortens the wait.
const delayPerClaim = 4
const maxDelayMs = 500

const namesOf = ({ projectIds, userIds }: Exclusions): string[] => [
  ...projectIds.map((id) => `project ${id}`),
  ...userIds.map((id) => `user ${id}`),
]

/**
 * Creates the claim backoff for one worker.
 * @param nowMs a monotonic clock, in milliseconds.
 */
export const createClaimBackoff = (nowMs: () => number): ClaimBackoff => {
  let lastExcluded: readonly string[] = []
  let untilMs = 0
  return {
    delayMs: (exclude, hasNewJobs) => {
      const excluded = new Set(namesOf(exclude))
      if (lastExcluded.length === 0 || lastExcluded.some((name) => !excluded.has(name))) return 0
      return hasNewJobs ? Math.max(0, untilMs - nowMs()) : Number.POSITIVE_INFINITY
    },
    claimed: (exclude, foundFewer, tookMs) => {
      lastExcluded = foundFewer ? namesOf(exclude) : []
      untilMs = nowMs() + Math.min(maxDelayMs, delayPerClaim * tookMs)
    },
  }
}
