import type { Database } from '../../database/database.ts'
import type { Queue } from '../../queue/queue.ts'
import type { DeferredJob } from './dispatch-gate.ts'

/** Puts jobs off, in one transaction: the delivery says when, and a new job takes the place of the old one. */
export const deferJobs = async (deps: { database: Database; queue: Queue }, deferred: readonly DeferredJob[]): Promise<void> => {
  if (deferred.length === 0) return
  await deps.database.transaction(async (transaction) => {
    await transaction.query(
      `update deliveries d set next_attempt_at = r.run_at
       from jsonb_to_recordset($1::jsonb) as r(id uuid, run_at timestamptz)
       where d.id = r.id and d.status in ('queued', 'retrying')`,
      [JSON.stringify(deferred.map(({ job, runAt }) => ({ id: job.key, run_at: runAt })))],
    )
    await deps.queue.enqueue(
      transaction,
      deferred.map(({ job, runAt }) => ({
        key: job.key,
        owner: job.owner,
        group: job.group,
        tag: job.tag,
        runAt,
        deferrals: job.deferrals + 1,
      })),
    )
    await deps.queue.complete(
      transaction,
      deferred.map(({ job }) => job),
    )
  })
}
