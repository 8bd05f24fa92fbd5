import type { Database } from '../../../apps/api/src/database/database.ts'
import { openPostgres } from '../../../apps/api/src/database/postgres.ts'
import { type BegunAttempt, beginAttempts } from '../../../apps/api/src/features/deliveries/begin-attempts.ts'
import type { Outcome } from '../../../apps/api/src/features/deliveries/outcome.ts'
import { createRetention } from '../../../apps/api/src/features/deliveries/retention.ts'
import { settleAttempts } from '../../../apps/api/src/features/deliveries/settle-attempts.ts'
import { createLog } from '../../../apps/api/src/log.ts'
import { createPgBossQueue } from '../../../apps/api/src/queue/pg-boss-queue.ts'
import type { Job, Queue } from '../../../apps/api/src/queue/queue.ts'
import { type Clock, systemClock } from '../../../apps/api/src/shared/clock.ts'

/** The parts of a server that have no interface over HTTP, on a database, in this process. */
export interface ServerWork {
  readonly database: Database
  readonly queue: Queue
  /** Records what becomes of the messages of these jobs, as a worker does before and after it has sent them. All are sent, if nothing is said. Gives how many were sent. */
  deliver(jobs: readonly Job[], clock?: Clock, outcomeOf?: (attempt: BegunAttempt) => Outcome): Promise<number>
  /** Runs retention and gives how many rows it has removed or emptied, and the milliseconds that its statements took. */
  retain(ages: { readonly contentMs: number; readonly logMs: number }, clock?: Clock): Promise<{ rows: number; tookMs: number }>
  close(): Promise<void>
}

/** As many jobs as a worker claims at once. */
export const claimSize = 50

const poolSize = 8
const log = createLog({ level: 'error' })
const sent = (): Outcome => ({ status: 'sent', kind: 'email', providerMessageId: '<42@example.com>', response: '250 OK' })

/** Opens them. */
export const openServerWork = async (databaseUrl: string): Promise<ServerWork> => {
  const database = await openPostgres({ url: databaseUrl, poolSize, log })
  const queue = createPgBossQueue({ database, log, name: 'deliveries' })
  await queue.start()
  return {
    database,
    queue,
    deliver: async (jobs, clock = systemClock, outcomeOf = sent) => {
      if (jobs.length === 0) return 0
      const byKey = new Map(jobs.map((job) => [job.key, job]))
      const begun = await beginAttempts(database, clock, [...byKey.keys()])
      const ended = begun.flatMap((attempt) => {
        const job = byKey.get(attempt.id)
        return job ? [{ job, attempt, durationMs: 20, outcome: outcomeOf(attempt) }] : []
      })
      await settleAttempts({ database, queue, clock, logContent: true }, ended)
      return ended.filter((each) => each.outcome.status === 'sent').length
    },
    retain: async (ages, clock = systemClock) => {
      const found = { rows: 0, tookMs: 0 }
      // Between its batches it pauses, which is not what is measured.
      const query: Database['query'] = async <Row extends object>(...statement: Parameters<Database['query']>) => {
        const startedMs = performance.now()
        const rows = await database.query<Row>(...statement)
        if (rows.length > 0) found.tookMs += performance.now() - startedMs
        found.rows += rows.length
        return rows
      }
      await createRetention({ database: { ...database, query }, clock, log, ...ages }).run()
      return found
    },
    close: async () => {
      await queue.stop()
      await database.close()
    },
  }
}
