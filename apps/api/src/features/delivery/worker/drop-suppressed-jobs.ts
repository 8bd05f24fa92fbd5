import type { Logger } from 'pino'
import type { Database } from '../../../database/database.ts'
import { logDropped } from '../attempts/log-outcomes.ts'
import type { CancelDeps } from '../cancel-deliveries.ts'
import type { Job } from '../queue/job.ts'
import type { Queue } from '../queue/queue.ts'
import { failSuppressed } from '../suppressions/fail-suppressed.ts'

/**
 * How long to wait, in milliseconds, before retrying a job whose delivery or notification is locked. Transactions that
 * lock deliveries or notifications, such as the deletion of a project, are short.
 */
export const busyDelayMs = 100
// How long to wait, in milliseconds, before retrying a job that needs the key for recipient digests, if this process lacks the
// key. The wait is long, because only a restart can provide the key.
const withoutKeyDelayMs = 60_000

/** The dependencies of {@link dropSuppressedJobs}. */
export interface DropSuppressedDeps extends CancelDeps {
  readonly database: Database
  readonly queue: Queue
  readonly log: Logger
}

/**
 * Marks claimed deliveries to suppressed recipients as failed, and returns the jobs that may start. Runs no statement
 * for projects that suppress nobody. A process without the key for recipient digests cannot tell who is suppressed, so it
 * delays all messages of projects with suppressed recipients.
 */
export const dropSuppressedJobs = async (deps: DropSuppressedDeps, jobs: readonly Job[]): Promise<readonly Job[]> => {
  const checked = jobs.filter(({ suppresses }) => suppresses)
  if (checked.length === 0) return jobs
  if (!deps.recipients.hasKey) {
    await deps.queue.release(checked, withoutKeyDelayMs)
    return jobs.filter(({ suppresses }) => !suppresses)
  }
  const { failed, busy } = await failSuppressed(deps.database, deps, checked)
  logDropped(deps.log, 'suppressed', checked, failed)
  await deps.queue.release(
    checked.filter(({ deliveryId }) => busy.has(deliveryId)),
    busyDelayMs,
  )
  return jobs.filter(({ deliveryId }) => !failed.has(deliveryId) && !busy.has(deliveryId))
}
