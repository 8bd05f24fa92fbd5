import { createSecretKey } from 'node:crypto'
import { type Credential, createRegistry, type ProviderClient } from '@flowpost/delivery'
import { Client } from 'pg'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { type Queryable, textOf } from '../src/database/database.ts'
import { recordOutcomes } from '../src/features/delivery/attempts/record-outcomes.ts'
import { type SendDeps, send as sendAttempt } from '../src/features/delivery/attempts/send.ts'
import { type StartedAttempt, startAttempts } from '../src/features/delivery/attempts/start-attempts.ts'
import { cancelExpired, cancelPending, revokeCredential } from '../src/features/delivery/cancel-deliveries.ts'
import type { Job } from '../src/features/delivery/queue/job.ts'
import { createQueue } from '../src/features/delivery/queue/queue.ts'
import { failRows } from '../src/features/delivery/suppressions/fail-suppressed.ts'
import { suppress } from '../src/features/delivery/suppressions/suppress.ts'
import { busyDelayMs, dropSuppressedJobs } from '../src/features/delivery/worker/drop-suppressed-jobs.ts'
import { createCredentials } from '../src/features/integrations/credentials.ts'
import { systemClock } from '../src/shared/clock.ts'
import { createEncryption } from '../src/shared/encryption.ts'
import { fromId, type Uuid } from '../src/shared/ids.ts'
import { createEmailProvider } from './support/email-provider.ts'
import { openTestDatabase } from './support/open-database.ts'
import { send } from './support/resources.ts'
import { recordTestEvents, testRecipients } from './support/test-recipients.ts'
import { startTestServer, type TestServer } from './support/test-server.ts'

const provider = createEmailProvider('own', async () => {})
const key = Buffer.alloc(32, 1)
const env = { FLOWPOST_CAPTURE: 'off', FLOWPOST_ENCRYPTION_KEY: `k1:${key.toString('base64')}` }
const log = pino({ level: 'silent' })

/** A project with its own credential and one scheduled delivery. */
interface Scheduled {
  readonly projectId: Uuid
  readonly deliveryId: Uuid
}

/** Opens the database and queue of a worker whose steps the tests run. */
const openWorker = async () => {
  const database = await openTestDatabase(server.database)
  const queue = createQueue({ database, log })
  await queue.start()
  return { database, queue, log, clock: systemClock, logContent: true, recipients: testRecipients, recordEvents: recordTestEvents }
}

let server: TestServer
let worker: Awaited<ReturnType<typeof openWorker>>
const scheduled: Scheduled[] = []

const schedule = async (name: string): Promise<Scheduled> => {
  const { json: project } = await server.request('POST', '/v1/settings/projects', { json: { name } })
  const path = `/v1/settings/projects/${project.id}`
  await server.request('PUT', `${path}/integrations/own`, { json: { settings: {}, secrets: {} } })
  await server.request('POST', `${path}/flows`, { json: { name: 'f', source_type: 'own', target: 'a@example.com' } })
  const { deliveries } = await send(server, project.id, { send_at: new Date(Date.now() + 3_600_000).toISOString() })
  return { projectId: fromId('project', project.id) as Uuid, deliveryId: fromId('delivery', deliveries[0].id) as Uuid }
}

beforeAll(async () => {
  server = await startTestServer({ providers: [provider], env })
  for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) scheduled.push(await schedule(name))
  // The server's worker must not claim the jobs.
  await server.stop()
  worker = await openWorker()
})
afterAll(async () => {
  await worker.queue.stop()
  await worker.database.close()
  await server[Symbol.asyncDispose]()
})

const next = (): Scheduled => scheduled.pop() as Scheduled

const claim = () => worker.queue.claim(10, { projectIds: [], userIds: [] })

// The database rounds times to milliseconds, so `now()` can become a time in the future.
const past = `now() - interval '1 millisecond'`

/** Makes a delivery's job due, as after the end of its lease, and claims it. */
const claimDue = async (deliveryId: Uuid): Promise<Job> => {
  await worker.database.query(`update delivery_jobs set due_at = ${past} where delivery_id = $1`, [deliveryId])
  return (await claim())[0] as Job
}

const start = (job: Job) => startAttempts(worker.database, systemClock, [job], 1)

const suppressTarget = (projectId: Uuid, target: string) =>
  worker.database.transaction((on) => {
    const recipients = [{ digest: testRecipients.identityOf('alice', 'own', target), target }]
    return suppress(on, systemClock, { projectId, recipients, reason: 'manual', source: 'api' })
  })

const readStatus = async (deliveryId: Uuid) =>
  (await worker.database.query<{ status: string }>('select status, attempt_count from deliveries where id = $1', [deliveryId]))[0]

it('a worker whose lease has expired does not fail a message that another worker is sending', async () => {
  const { projectId, deliveryId } = next()
  await suppressTarget(projectId, 'other@example.com')
  const stale = await claimDue(deliveryId)
  const current = await claimDue(deliveryId)
  const [attempt] = (await start(current)).started
  await suppressTarget(projectId, 'a@example.com')

  expect(await dropSuppressedJobs(worker, [stale])).toEqual([stale])
  expect(await start(stale)).toEqual({ started: [], busy: [], obsolete: [stale] })
  const outcome = { status: 'sent', kind: 'email', providerMessageId: 'x', response: 'ok' } as const
  await recordOutcomes(worker, [{ attempt: attempt as StartedAttempt, durationMs: 1, outcome }])
  expect(await readStatus(deliveryId)).toEqual({ status: 'sent', attempt_count: 1 })
})

/**
 * Connects to PostgreSQL. On this connection, each statement that reads jobs has its snapshot and then waits for `resume`, as if
 * the process were stopped in between.
 */
const connectPaused = async () => {
  const connectionString = server.database.url
  const [client, holder] = [new Client({ connectionString }), new Client({ connectionString })]
  await Promise.all([client.connect(), holder.connect()])
  await holder.query('select pg_advisory_lock(4711)')
  await client.query(`create function pg_temp.pause() returns boolean language plpgsql volatile as
    'begin perform pg_advisory_xact_lock_shared(4711); return true; end'`)
  await client.query('create temp view delivery_jobs as select * from public.delivery_jobs where pg_temp.pause()')
  return {
    on: { query: async (statement, values) => (await client.query(textOf(statement), values as unknown[])).rows } as Queryable,
    isPaused: async () =>
      (await holder.query(`select 1 from pg_locks where not granted and locktype = 'advisory' and objid = 4711`)).rowCount === 1,
    resume: () => holder.query('select pg_advisory_unlock(4711)'),
    [Symbol.asyncDispose]: async () => void (await Promise.all([client.end(), holder.end()])),
  }
}

const onPostgres = it.runIf(inject('postgres'))

onPostgres('a worker does not start an attempt if another one claims and starts it during the statement (needs PostgreSQL)', async () => {
  const { deliveryId } = next()
  const stale = await claimDue(deliveryId)
  await using paused = await connectPaused()
  const starting = startAttempts(paused.on, systemClock, [stale], 1)
  await expect.poll(paused.isPaused).toBe(true)
  const current = await claimDue(deliveryId)
  const { started } = await start(current)
  await paused.resume()

  expect(await starting).toEqual({ started: [], busy: [stale], obsolete: [] })
  expect(await start(stale)).toEqual({ started: [], busy: [], obsolete: [stale] })
  expect(started).toHaveLength(1)
  expect(await readStatus(deliveryId)).toEqual({ status: 'sending', attempt_count: 1 })
})

onPostgres('a worker does not fail a message that another one claims and starts during the statement (needs PostgreSQL)', async () => {
  const { projectId, deliveryId } = next()
  const stale = await claimDue(deliveryId)
  await using paused = await connectPaused()
  const row = { id: deliveryId, project_id: projectId, user_id: 'alice', source_type: 'own', target: 'a@example.com' }
  const [read] = await worker.database.query<{ id: Uuid }>('select notification_id as id from deliveries where id = $1', [deliveryId])
  const failing = failRows(paused.on, worker, [stale], [{ ...row, notification_id: read?.id as Uuid }])
  await expect.poll(paused.isPaused).toBe(true)
  const current = await claimDue(deliveryId)
  await start(current)
  await paused.resume()

  expect((await failing).failed.size).toBe(0)
  expect(await readStatus(deliveryId)).toEqual({ status: 'sending', attempt_count: 1 })
})

it('cancels a message that expires between the claim and the start of the attempt', async () => {
  const { deliveryId } = next()
  await worker.database.query(`update delivery_jobs set expires_at = now() + interval '1 minute' where delivery_id = $1`, [deliveryId])
  const job = await claimDue(deliveryId)
  expect(job.expiresInMs).toBeGreaterThan(0)
  await worker.database.query(`update delivery_jobs set expires_at = ${past} where delivery_id = $1`, [deliveryId])

  expect(await start(job)).toEqual({ started: [], busy: [job], obsolete: [] })
  await worker.queue.release([job], busyDelayMs)
  const claimed = await claimDue(deliveryId)
  expect(claimed.expiresInMs).toBeLessThanOrEqual(0)
  expect([...(await cancelExpired(worker.database, worker, [deliveryId])).canceled.keys()]).toEqual([deliveryId])
  expect(await readStatus(deliveryId)).toEqual({ status: 'canceled', attempt_count: 0 })
})

const deletions: readonly [string, (on: Queryable, projectId: Uuid) => Promise<unknown>][] = [
  [
    'credential',
    async (on, projectId) => {
      await revokeCredential(projectId, 'own').rest(on)
      await on.query('delete from integrations where project_id = $1', [projectId])
    },
  ],
  [
    'project',
    async (on, projectId) => {
      await cancelPending(worker, { projectId }).rest(on)
      await on.query('delete from projects where id = $1', [projectId])
    },
  ],
]

it.each(deletions)(
  "a message whose attempt starts just before its %s is deleted is not sent with the deployment's credential",
  async (_what, remove) => {
    const { projectId, deliveryId } = next()
    const [attempt] = (await start(await claimDue(deliveryId))).started
    await worker.database.transaction((on) => remove(on, projectId))
    const used: Credential[] = []
    const deliver: ProviderClient['deliver'] = async ({ credential }) => {
      used.push(credential)
      return { providerMessageId: null, response: 'ok' }
    }
    const deps: SendDeps = {
      database: worker.database,
      registry: createRegistry([provider]),
      providerClient: { deliver } as ProviderClient,
      credentials: createCredentials({
        encryption: createEncryption([{ id: 'k1', key: createSecretKey(key) }]),
        log,
        deployment: new Map([['own', { settings: {}, secrets: {} }]]),
        sharedWith: 'all',
      }),
      random: () => 0.5,
      retryPolicy: { initialWaitMs: 1_000, maxWaitMs: 1_000, budgetMs: 60_000 },
      ambiguous: 'retry',
      logContent: true,
      log,
    }
    const { outcome } = await sendAttempt(deps, attempt as StartedAttempt, new AbortController().signal)
    expect(used).toEqual([])
    expect(outcome).toMatchObject({ status: 'failed', failure: { code: 'integration_missing' } })
  },
)
