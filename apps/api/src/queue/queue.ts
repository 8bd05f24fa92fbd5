import type { Queryable } from '../database/database.ts'

/** Work to be done, now or later. */
export interface NewJob {
  /** What the work is about. */
  readonly key: string
  /** Whose work it is: a claim can leave owners out. An owner has any number of groups. */
  readonly owner: string
  /** Who it is done for: a claim can leave groups out. */
  readonly group: string
  /** What kind of work it is, for the worker to know without looking. */
  readonly tag: string
  /** Higher is claimed first; equal ones in the order of their making. Default 0. */
  readonly priority?: number
  /** Not before this. Default: now. */
  readonly runAt?: Date
  /** How often the work was put off already. Default 0. */
  readonly deferrals?: number
}

/** A piece of work that one process holds for a while: the lease. */
export interface Job {
  readonly id: string
  /** Which claim of the job this is: a claim that has lapsed cannot complete it. */
  readonly retryCount: number
  readonly key: string
  readonly owner: string
  readonly group: string
  readonly tag: string
  readonly deferrals: number
}

/** How many jobs wait. */
export interface Load {
  /** Those that may be claimed. */
  readonly due: number
  /** Those whose time has not come. */
  readonly later: number
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
  /**
   * SQL that adds a job for each row of a relation, as a part of the statement that has the relation. It gives no rows.
   * @param relation has the columns `key` (uuid), `owner`, `"group"` and `tag` (text), `priority` (int) and `run_at`
   * (timestamptz, `null`: now), which mean what {@link NewJob} says.
   */
  insertFrom(relation: string): string
  /** Tells workers in every process that there is work. */
  wake(): void
  /** Hears of work that was added. Polling stays the safety net. */
  onWake(listener: () => void): void
  /** Takes at most `count` jobs that are due and of none of these groups and owners, in one committed statement. */
  claim(count: number, without?: { readonly groups: readonly string[]; readonly owners: readonly string[] }): Promise<Job[]>
  /** Removes jobs that are done, in the caller's transaction. A claim that has lapsed is left alone. */
  complete(on: Queryable, jobs: readonly Job[]): Promise<void>
  /** How many jobs wait for each owner, right now: it looks at each of them, so not to be asked often. */
  load(): Promise<Map<string, Load>>
  /** How many jobs wait, as of some seconds ago. */
  depth(): Promise<number>
}

/** How long a claim lasts. A send must end well before it. */
export const leaseMs = 20_000
