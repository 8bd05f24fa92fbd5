import type { Database } from '../../../apps/api/src/database/database.ts'
import { openPostgres } from '../../../apps/api/src/database/postgres.ts'
import { entities } from '../../../apps/api/src/entities.ts'
import { recordOutcomes } from '../../../apps/api/src/features/delivery/attempts/record-outcomes.ts'
import type { Outcome } from '../../../apps/api/src/features/delivery/attempts/send.ts'
import { type StartedAttempt, startAttempts } from '../../../apps/api/src/features/delivery/attempts/start-attempts.ts'
import type { Job } from '../../../apps/api/src/features/delivery/queue/job.ts'
import { createQueue, type Queue } from '../../../apps/api/src/features/delivery/queue/queue.ts'
import { createRecipients } from '../../../apps/api/src/features/delivery/recipients/recipients.ts'
import { createRetention } from '../../../apps/api/src/features/delivery/retention.ts'
import { createEventRecorder } from '../../../apps/api/src/features/events/record-events.ts'
import { createLog } from '../../../apps/api/src/log.ts'
import { type Clock, systemClock } from '../../../apps/api/src/shared/clock.ts'

/** The work of a server, without the HTTP interface, as functions that run in this process. */
export interface ServerWork {
  readonly database: Database
  readonly queue: Queue
  /**
   * Starts an attempt for each job and records its outcome, as a worker does before and after sending. By default, every
   * attempt succeeds.
   * @returns the number of sent deliveries.
   */
  deliver(jobs: readonly Job[], clock?: Clock, outcomeOf?: (attempt: StartedAttempt) => Outcome): Promise<number>
  /** Runs retention. Returns the number of changed rows, and the total duration of the statements in milliseconds. */
  retain(ages: { readonly contentMs: number; readonly logMs: number }, clock?: Clock): Promise<{ rows: number; tookMs: number }>
  close(): Promise<void>
}

/** The number of jobs that a worker claims at once. */
export const claimSize = 50

const poolSize = 8
const log = createLog({ level: 'error' })
const sent = (): Outcome => ({ status: 'sent', kind: 'email', providerMessageId: '<42@example.com>', response: '250 OK' })

/** Connects to the database and starts the delivery queue. */
export const openServerWork = async (databaseUrl: string): Promise<ServerWork> => {
  const database = await openPostgres({ entities, url: databaseUrl, poolSize, log })
  const queue = createQueue({ database, log })
  await queue.start()
  const channels = { get: () => undefined, ids: [] }
  const recipients = createRecipients(Buffer.alloc(32, 1), channels)
  const recordEvents = createEventRecorder({ clock: systemClock, channels })
  return {
    database,
    queue,
    deliver: async (jobs, clock = systemClock, outcomeOf = sent) => {
      if (jobs.length === 0) return 0
      const { started } = await startAttempts(database, clock, jobs, 1)
      const finished = started.map((attempt) => ({ attempt, durationMs: 20, outcome: outcomeOf(attempt) }))
      await recordOutcomes({ database, clock, logContent: true, recipients, recordEvents }, finished)
      return finished.filter(({ outcome }) => outcome.status === 'sent').length
    },
    retain: async (ages, clock = systemClock) => {
      const found = { rows: 0, tookMs: 0 }
      // Measures only the time that statements take, because the retention job sleeps between its batches.
      const query: Database['query'] = async <Row extends object>(...statement: Parameters<Database['query']>) => {
        const startedMs = performance.now()
        const rows = await database.query<Row>(...statement)
        if (rows.length > 0) found.tookMs += performance.now() - startedMs
        found.rows += rows.length
        return rows
      }
      await createRetention({ database: { ...database, query }, clock, log, eventsMs: 0, historyMs: 400 * 24 * 3_600_000, ...ages }).run()
      return found
    },
    close: async () => {
      await queue.stop()
      await database.close()
    },
  }
}
