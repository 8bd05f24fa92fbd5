import type { Uuid } from '../../../shared/ids.ts'
import type { Job } from '../queue/job.ts'
import type { Exclusions } from '../queue/queue.ts'

/** The concurrency limits of one worker. */
export interface InFlightLimits {
  /** The maximum number of messages in flight, in total. */
  readonly concurrency: number
  /**
   * The maximum number of messages in flight per project. At this limit, the worker stops claiming the project's jobs,
   * so that a provider that hangs cannot occupy all slots.
   */
  readonly projectConcurrency: number
}

/** The jobs that a worker holds: their messages are being sent, or their outcomes are not recorded yet. */
export interface InFlight {
  add(job: Job): void
  /**
   * Stops counting a job against the limits of its user and project. Call this method after sending has succeeded or
   * failed, when only the outcome remains to be recorded.
   */
  sent(job: Job): void
  /** Removes a job and returns it. If {@link InFlight.adopt} has replaced it, removes and returns its replacement. */
  remove(job: Job): Job
  /**
   * Replaces the in-flight job of the same delivery with `job`. This is necessary if the lease expired and this worker has
   * claimed the delivery again. Returns `false` if no job of the delivery is in flight.
   */
  adopt(job: Job): boolean
  freeSlots(): number
  /** Returns the users and projects that are at their limit. */
  saturated(): Exclusions
  /** Returns the jobs that have been in flight since `beforeMs` or earlier. */
  heldSince(beforeMs: number): Job[]
}

const keysAtLeast = (counts: ReadonlyMap<string, number>, limit: number): string[] =>
  [...counts].filter(([, count]) => count >= limit).map(([key]) => key)

/**
 * Creates an empty {@link InFlight}.
 * @param nowMs a monotonic clock, in milliseconds.
 */
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
      const { job: latest } = held.get(job.deliveryId) ?? { job }
      held.delete(job.deliveryId)
      return latest
    },
    adopt: (job) => {
      const previous = held.get(job.deliveryId)
      if (previous) held.set(job.deliveryId, { job, sinceMs: previous.sinceMs })
      return previous !== undefined
    },
    freeSlots,
    saturated: () => ({
      projectIds: keysAtLeast(byProject, projectConcurrency),
      // A user with `n` slots gets another slot only while more than `n` slots are free. This leaves slots for other users.
      userIds: keysAtLeast(byUser, Math.max(1, freeSlots())),
    }),
    heldSince: (beforeMs) => [...held.values()].filter(({ sinceMs }) => sinceMs <= beforeMs).map(({ job }) => job),
  }
}
