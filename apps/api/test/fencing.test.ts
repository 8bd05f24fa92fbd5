import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openEmbedded } from '../src/database/embedded.ts'
import { openPostgres } from '../src/database/postgres.ts'
import { type BegunAttempt, beginAttempts } from '../src/features/deliveries/begin-attempts.ts'
import { settleAttempts } from '../src/features/deliveries/settle-attempts.ts'
import { createPgBossQueue } from '../src/queue/pg-boss-queue.ts'
import { systemClock } from '../src/shared/clock.ts'
import { fromId } from '../src/shared/ids.ts'
import { createFlow, send } from './resources.ts'
import { startTestServer, type TestServer } from './test-server.ts'

const log = pino({ level: 'silent' })
let server: TestServer
let deliveryId: string
let notificationId: string

/** The database and queue of a worker that the test plays itself. */
const openWorker = async () => {
  const { url, dataDir } = server.database
  const database = url === undefined ? await openEmbedded({ dataDir }) : await openPostgres({ url, poolSize: 3, log })
  const queue = createPgBossQueue({ database, log, name: 'deliveries' })
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

describe('a worker whose lease ran out', () => {
  it('cannot settle what another one has begun since', async () => {
    const [job] = await worker.queue.claim(1)
    if (!job) throw new Error('There is no job.')
    const begin = async () => (await beginAttempts(worker.database, worker.clock, [deliveryId]))[0] as BegunAttempt
    const first = await begin()
    const second = await begin()
    expect([first.attempt_count, second.attempt_count]).toEqual([1, 2])

    await settleAttempts(worker, [{ job, attempt: first, durationMs: 1, outcome: { ...sentOutcome, response: 'too late' } }])
    expect(await statusOf()).toEqual(['sending', ['ambiguous', 'sending']])
    await settleAttempts(worker, [{ job, attempt: second, durationMs: 1, outcome: sentOutcome }])
    expect(await statusOf()).toEqual(['sent', ['ambiguous', 'sent']])
  })

  it('finds nothing to begin once the delivery has settled', async () => {
    expect(await beginAttempts(worker.database, worker.clock, [deliveryId])).toEqual([])
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
