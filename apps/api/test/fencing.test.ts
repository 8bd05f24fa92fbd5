import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openEmbedded } from '../src/database/embedded.ts'
import { openPostgres } from '../src/database/postgres.ts'
import { entities } from '../src/entities.ts'
import { recordOutcomes } from '../src/features/delivery/attempts/record-outcomes.ts'
import { type StartedAttempt, startAttempts } from '../src/features/delivery/attempts/start-attempts.ts'
import { createQueue } from '../src/features/delivery/queue/queue.ts'
import { systemClock } from '../src/shared/clock.ts'
import { fromId } from '../src/shared/ids.ts'
import { createFlow, send } from './support/resources.ts'
import { startTestServer, type TestServer } from './support/test-server.ts'

const log = pino({ level: 'silent' })
let server: TestServer
let deliveryId: string
let notificationId: string

/** The database and queue of a worker that the test plays itself. */
const openWorker = async () => {
  const { url, dataDir } = server.database
  const database = url === undefined ? await openEmbedded({ entities, dataDir }) : await openPostgres({ entities, url, poolSize: 3, log })
  const queue = createQueue({ database, log })
  await queue.start()
  return { database, queue, clock: systemClock, logContent: true }
}

let worker: Awaited<ReturnType<typeof openWorker>>

beforeAll(async () => {
  // No worker of its own may take the job, and the embedded database has room for one process only.
  server = await startTestServer()
  const { project } = await createFlow(server)
  const dueAt = Date.now() + 6_000
  const sent = await send(server, project.id, { send_at: new Date(dueAt).toISOString() })
  notificationId = sent.id
  deliveryId = fromId('delivery', sent.deliveries[0].id) ?? ''
  await server.stop()
  worker = await openWorker()
  await new Promise((resolve) => setTimeout(resolve, Math.max(0, dueAt + 100 - Date.now())))
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

describe('a worker whose lease ran out', () => {
  it('cannot record an outcome after another one has started an attempt', async () => {
    const job = await claimOne()
    const start = async () => (await startAttempts(worker.database, worker.clock, [job], 1)).started[0] as StartedAttempt
    const first = await start()
    const second = await start()
    expect([first.attempt_count, second.attempt_count]).toEqual([1, 2])

    await recordOutcomes(worker, [{ attempt: first, durationMs: 1, outcome: { ...sentOutcome, response: 'too late' } }])
    expect(await statusOf()).toEqual(['sending', ['ambiguous', 'sending']])
    expect(await worker.queue.depth()).toBe(1)
    await recordOutcomes(worker, [{ attempt: second, durationMs: 1, outcome: sentOutcome }])
    expect(await statusOf()).toEqual(['sent', ['ambiguous', 'sent']])
    expect(await worker.queue.depth()).toBe(0)
  })

  it('finds nothing to start once the delivery is settled', async () => {
    const job = { deliveryId, userId: 'alice', projectId: deliveryId, sourceType: 'smtp', claim: 1, deferrals: 0 }
    expect(await startAttempts(worker.database, worker.clock, [job], 1)).toEqual({ started: [], busy: [], obsolete: [job] })
  })
})

const statusOf = async () => {
  const [notification] = await worker.database.query<{ status: string }>('select status from notifications where id = $1', [
    fromId('notification', notificationId),
  ])
  const attempts = await worker.database.query<{ outcome: string }>('select outcome from attempts where delivery_id = $1 order by number', [
    deliveryId,
  ])
  return [notification?.status, attempts.map(({ outcome }) => outcome)]
}
