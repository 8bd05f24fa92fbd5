import type { Uuid } from '../../../shared/ids.ts'

/** The duration of a lease, in milliseconds. The timeout for sending a message must be shorter. */
export const leaseMs = 20_000

/** Identifies the request that queued a delivery, in log lines and traces. */
export interface JobOrigin {
  readonly requestId?: string | null | undefined
  /** The W3C trace context of the request, if it was traced. */
  readonly traceContext?: string | null | undefined
}

/** A job to add to the queue. */
export interface NewJob extends JobOrigin {
  readonly deliveryId: Uuid
  readonly userId: string
  readonly projectId: Uuid
  readonly sourceType: string
  /**
   * Jobs with the priority 0 are claimed first, jobs with `minPriority` last. Jobs of equal priority are claimed in the
   * order of their due times.
   */
  readonly priority: number
  /** No attempt may start at or after this time; `null` if the notification does not expire. */
  readonly expiresAt?: string | Date | null
  /** When the job is due; `null` means immediately. */
  readonly dueAt?: string | null
}

/** A job that one process holds under a lease. */
export interface Job extends JobOrigin {
  readonly deliveryId: Uuid
  readonly userId: string
  readonly projectId: Uuid
  readonly sourceType: string
  /** The fencing token: each claim has a higher number than the previous one. An older claim cannot change the job. */
  readonly claim: number
  /** How many times in a row the job was rescheduled to a slot of its destination's rate limit; see `reserveSlots`. */
  readonly deferrals: number
  /** The time from the claim until the notification expires, in milliseconds; `null` if it does not expire. */
  readonly expiresInMs?: number | null
  /** Whether the project's suppression list contains at least one recipient. */
  readonly suppresses?: boolean
}

/** A job that must not start yet. */
export interface DelayedJob {
  readonly job: Job
  readonly delayMs: number
  /** The new value of `Job.deferrals`. @default 0 */
  readonly deferrals?: number
}
