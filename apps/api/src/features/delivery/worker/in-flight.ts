import type { Uuid } from '../../../shared/ids.ts'
import type { Exclusions, Job } from '../queue/queue.ts'

/** The limits of one worker. */
export interface InFlightLimits {
  /** How many messages are in flight at a time. */
  readonly concurrency: number
  /** How many of them may belong to one project, so that a provider that hangs does not occupy all. */
  readonly projectConcurrency: number
}

/** The jobs that a worker holds: being sent, or sent and not yet recorded. */
export interface InFlight {
  add(job: Job): void
  /** The message left: the job no longer occupies its provider, and counts against neither user nor project. */
  sent(job: Job): void
  /** Returns the job under its last claim. */
  remove(job: Job): Job
  /** Replaces the claim of a job whose lease expired here and was claimed here again. Returns whether it is in flight. */
  adopt(job: Job): boolean
  freeSlots(): number
  /** The users and projects at their limit. */
  saturated(): Exclusions
  /** The jobs that have been held since before an instant of the monotonic clock, in milliseconds. */
  heldSince(beforeMs: number): Job[]
}

const keysAtLeast = (counts: ReadonlyMap<string, number>, limit: number): string[] =>
  [...counts].filter(([, count]) => count >= limit).map(([key]) => key)

/** @param nowMs a monotonic clock, in milliseconds. */
export const createInFlight = ({ concurrency, projectConcurrency }: InFlightLimits, nowMs: () => number): InFlight => {
  const held = new Map<Uuid, { job: Job; sinceMs: number }>()
  const byProject = new Map<string, number>()
  const byUser = new Map<string, number>()

  const count = (counts: Map<string, number>, key: string, by: 1 | -1): void => {
    const changed = (counts.get(key) ?? 0) + by
    if (changed === 0) counts.delete(key)
    else counts.set(key, changed)
  }
  const countBoth = (job: Job, by: 1 | -1): void => {
    count(byProject, job.projectId, by)
    count(byUser, job.userId, by)
  }
  const freeSlots = (): number => concurrency - held.size

  return {
    add: (job) => {
      held.set(job.deliveryId, { job, sinceMs: nowMs() })
      countBoth(job, 1)
    },
    sent: (job) => countBoth(job, -1),
    remove: (job) => {
      const { job: last } = held.get(job.deliveryId) ?? { job }
      held.delete(job.deliveryId)
      return last
    },
    adopt: (job) => {
      const known = held.get(job.deliveryId)
      if (known) held.set(job.deliveryId, { job, sinceMs: known.sinceMs })
      return known !== undefined
    },
    freeSlots,
    saturated: () => ({
      projectIds: keysAtLeast(byProject, projectConcurrency),
      // A user may hold at most as many slots as are free, so some are always left for users who hold none.
      userIds: keysAtLeast(byUser, Math.max(1, freeSlots())),
    }),
    heldSince: (beforeMs) => [...held.values()].filter(({ sinceMs }) => sinceMs <= beforeMs).map(({ job }) => job),
  }
}
