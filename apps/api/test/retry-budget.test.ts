import { pino } from 'pino'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { instant } from '../src/database/database.ts'
import { recordOutcomes } from '../src/features/delivery/attempts/record-outcomes.ts'
import type { Outcome } from '../src/features/delivery/attempts/send.ts'
import { type StartedAttempt, startAttempts } from '../src/features/delivery/attempts/start-attempts.ts'
import { createQueue } from '../src/features/delivery/queue/queue.ts'
import { createQueueLimit } from '../src/features/delivery/queue/queue-limit.ts'
import { retryNotification } from '../src/features/notifications/retry-notification.ts'
import { createContext } from '../src/http/request-context.ts'
import { systemClock } from '../src/shared/clock.ts'
import { openTestDatabase } from './support/open-database.ts'
import { createFlow, send } from './support/resources.ts'
import { recordTestEvents, testRecipients } from './support/test-recipients.ts'
import { startTestServer, type TestServer } from './support/test-server.ts'

const log = pino({ level: 'silent' })
const maxInterruptions = 1
const failure = { kind: 'provider', code: '451', detail: 'Later.', retryable: true } as const
const retrying: Outcome = { status: 'retrying', failure, response: '451', delayMs: 60_000 }
const failed: Outcome = { status: 'failed', failure, response: '451' }

/** Opens the database as a worker whose steps the test runs. */
const openWorker = async (server: TestServer) => {
  const database = await openTestDatabase(server.database)
  const queue = createQueue({ database, log })
  await queue.start()

  /** Starts an attempt at the only delivery, even if it is leased or scheduled. */
  const start = async (): Promise<StartedAttempt> => {
    await database.query(`update delivery_jobs set due_at = now() - interval '1 ms'`)
    const [job] = await queue.claim(1, { projectIds: [], userIds: [] })
    const attempt = job && (await startAttempts(database, systemClock, [job], maxInterruptions)).started[0]
    if (!attempt) throw new Error('No attempt could start.')
    return attempt
  }
  return {
    database,
    queue,
    start,
    finish: async (outcome: Outcome): Promise<StartedAttempt> => {
      const attempt = await start()
      await recordOutcomes({ database, clock: systemClock, logContent: true, recipients: testRecipients, recordEvents: recordTestEvents }, [
        { attempt, durationMs: 1, outcome },
      ])
      return attempt
    },
    close: async () => {
      await queue.stop()
      await database.close()
    },
  }
}

let server: TestServer
let worker: Awaited<ReturnType<typeof openWorker>>
let id: string
const sendAt = new Date(Date.now() + 3_600_000)

beforeAll(async () => {
  server = await startTestServer()
  const { project } = await createFlow(server)
  id = (await send(server, project.id, { send_at: sendAt.toISOString() })).id
  // The server's worker must not claim the job.
  await server.stop()
  worker = await openWorker(server)
})
afterAll(async () => {
  await worker.close()
  await server[Symbol.asyncDispose]()
})

it('restarts the counts of attempts and interruptions and the measurement of latency after a retry by request', async () => {
  const { database, queue, start, finish } = worker
  const numbersOf = ({ attempt_count, attempt_in_budget, is_interrupted }: StartedAttempt) => [
    attempt_count,
    attempt_in_budget,
    is_interrupted,
  ]
  const readyAt = ({ ready_at }: StartedAttempt) => instant(ready_at).getTime()
  const before = [await start(), await start(), await finish(retrying), await finish(failed)]
  expect(before.map(numbersOf)).toEqual([
    [1, 1, false],
    [2, 2, false],
    [2, 2, true],
    [3, 3, false],
  ])
  expect(before.map(readyAt)).toEqual(before.map(() => sendAt.getTime()))

  const queueLimit = createQueueLimit({ queue, log, limit: 1_000 })
  const alice = { userId: 'alice', scopes: [], mode: 'live' as const, credentialId: 'test', rateLimitKey: 'test' }
  const context = createContext('retry', log)
  const retriedAt = Date.now()
  await database.transaction((transaction) => retryNotification(transaction, { clock: systemClock, queue, queueLimit }, alice, id, context))
  const after = [await start(), await start(), await start()]
  expect(after.map(numbersOf)).toEqual([
    [4, 1, false],
    [5, 2, false],
    [5, 2, true],
  ])
  const [first = 0] = after.map(readyAt)
  expect(first).toBeGreaterThanOrEqual(retriedAt)
  expect(first).toBeLessThanOrEqual(Date.now())
  expect(after.map(readyAt)).toEqual([first, first, first])
})
