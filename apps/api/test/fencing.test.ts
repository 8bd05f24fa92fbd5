import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { recordOutcomes } from '../src/features/delivery/attempts/record-outcomes.ts'
import { type StartedAttempt, startAttempts } from '../src/features/delivery/attempts/start-attempts.ts'
import { createQueue } from '../src/features/delivery/queue/queue.ts'
import { systemClock } from '../src/shared/clock.ts'
import { fromId, newUuid } from '../src/shared/ids.ts'
import { countJobs, setJobsDue } from './support/delivery-jobs.ts'
import { openTestDatabase } from './support/open-database.ts'
import { createFlow, send } from './support/resources.ts'
import { recordTestEvents, testRecipients } from './support/test-recipients.ts'
import { startTestServer, type TestServer } from './support/test-server.ts'

const log = pino({ level: 'silent' })
let server: TestServer
let deliveryId: string
let notificationId: string

/** Opens the database and queue of a worker whose steps the test runs. */
const openWorker = async () => {
  const database = await openTestDatabase(server.database)
  const queue = createQueue({ database, log })
  await queue.start()
  return { database, queue, clock: systemClock, logContent: true, recipients: testRecipients, recordEvents: recordTestEvents }
}

let worker: Awaited<ReturnType<typeof openWorker>>

beforeAll(async () => {
  server = await startTestServer()
  const { project } = await createFlow(server)
  const sent = await send(server, project.id, { send_at: new Date(Date.now() + 3_600_000).toISOString() })
  notificationId = sent.id
  deliveryId = fromId('delivery', sent.deliveries[0].id) ?? ''
  // The server's worker must not claim the job.
  await server.stop()
  await setJobsDue(server.database)
  worker = await openWorker()
})

afterAll(async () => {
  await worker.queue.stop()
  await worker.database.close()
  await server[Symbol.asyncDispose]()
})

const sentOutcome = { status: 'sent', kind: 'email', providerMessageId: 'x', response: 'ok' } as const

const claimOne = async () => {
  const [job] = await worker.queue.claim(1, { projectIds: [], userIds: [] })
  if (!job) throw new Error('There is no job.')
  return job
}

describe('a worker whose lease expired', () => {
  it('cannot record an outcome after another worker has started an attempt', async () => {
    const job = await claimOne()
    const start = async () => (await startAttempts(worker.database, worker.clock, [job], 1)).started[0] as StartedAttempt
    const first = await start()
    const second = await start()
    expect([first.attempt_count, second.attempt_count]).toEqual([1, 2])

    await recordOutcomes(worker, [{ attempt: first, durationMs: 1, outcome: { ...sentOutcome, response: 'too late' } }])
    expect(await readStatuses()).toEqual(['sending', ['ambiguous', 'sending']])
    expect(await countJobs(worker.queue)).toBe(1)
    await recordOutcomes(worker, [{ attempt: second, durationMs: 1, outcome: sentOutcome }])
    expect(await readStatuses()).toEqual(['sent', ['ambiguous', 'sent']])
    expect(await countJobs(worker.queue)).toBe(0)
  })

  it('starts no attempt when the delivery is completed', async () => {
    const job = { deliveryId, userId: 'alice', projectId: deliveryId, sourceType: 'smtp', claim: 1, deferrals: 0 }
    expect(await startAttempts(worker.database, worker.clock, [job], 1)).toEqual({ started: [], busy: [], obsolete: [job] })
  })
})

it('a worker that holds an earlier job of a delivery cannot change the job of a later retry', async () => {
  const { queue, database } = worker
  const retry = { deliveryId: newUuid(), userId: 'alice', projectId: newUuid(), sourceType: 'smtp', priority: 0 }
  await queue.enqueue(database, [retry])
  const earlier = await claimOne()
  await queue.complete([earlier])
  await queue.enqueue(database, [retry])
  const current = await claimOne()
  await queue.complete([earlier])
  await queue.release([earlier])
  await queue.reschedule([{ job: earlier, delayMs: 0 }])
  expect(await queue.countByState()).toMatchObject({ due: 0, leased: 1, scheduled: 0 })
  await queue.complete([current])
  expect(await countJobs(queue)).toBe(0)
})

const readStatuses = async () => {
  const [notification] = await worker.database.query<{ status: string }>('select status from notifications where id = $1', [
    fromId('notification', notificationId),
  ])
  const attempts = await worker.database.query<{ outcome: string }>('select outcome from attempts where delivery_id = $1 order by number', [
    deliveryId,
  ])
  return [notification?.status, attempts.map(({ outcome }) => outcome)]
}
