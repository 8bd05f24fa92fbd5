import type { Queryable } from '../database/database.ts'

/** A piece of work that one process holds for a while: the lease. Who else may hold it by then, the claim tells. */
export interface Job {
  readonly id: string
  /** Which claim of the job this is: a claim that has lapsed cannot complete it. */
  readonly retryCount: number
  /** What the work is about. */
  readonly key: string
}

/** Work to be done, now or later. */
export interface NewJob {
  readonly key: string
  /** Not before this. Default: now. */
  readonly runAt?: Date
}

/**
 * A durable queue in the database. It knows nothing of what a job means. A job is done at least once:
 * one that is not completed before its lease runs out is handed out again.
 */
export interface Queue {
  start(): Promise<void>
  stop(): Promise<void>
  /** Adds jobs in the caller's transaction: they exist if and only if it commits. Call {@link Queue.wake} after that. */
  enqueue(on: Queryable, jobs: readonly NewJob[]): Promise<void>
  /** Tells workers in every process that there is work. */
  wake(): void
  /** Hears of work that was added. Polling stays the safety net. */
  onWake(listener: () => void): void
  /** Takes at most `count` jobs that are due, in one committed statement. */
  claim(count: number): Promise<Job[]>
  /** Marks jobs as done in the caller's transaction. A claim that has lapsed is left alone. */
  complete(on: Queryable, jobs: readonly Job[]): Promise<void>
  /** Gives jobs back at once, for others to take. */
  release(jobs: readonly Job[]): Promise<void>
}

/** How long a claim lasts. A send must end well before it. */
export const leaseMs = 20_000
