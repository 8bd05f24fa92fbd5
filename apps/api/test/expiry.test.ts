import { pino } from 'pino'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { cancelExpired } from '../src/features/delivery/cancel-deliveries.ts'
import { createQueue } from '../src/features/delivery/queue/queue.ts'
import { systemClock } from '../src/shared/clock.ts'
import { newUuid, type Uuid } from '../src/shared/ids.ts'
import { onDatabase } from './support/direct-database.ts'
import { expectProblem } from './support/expect-problem.ts'
import { openTestDatabase } from './support/open-database.ts'
import { createFlow, readCompleted, send } from './support/resources.ts'
import { recordTestEvents, testRecipients } from './support/test-recipients.ts'
import { startTestServer, type TestServer } from './support/test-server.ts'

const inFuture = (ms: number) => new Date(Date.now() + ms).toISOString()
const failure = { kind: 'expired', code: 'expired', retryable: false }

let server: TestServer
let queuedId: string
let interruptedId: string
let failedId: string
/** The seconds until a job is due. The job was rescheduled by an hour, but its notification expires in ten minutes. */
let dueInSeconds: number
/** The same for a job whose notification has already expired. */
let expiredDueInSeconds: number
beforeAll(async () => {
  // Nothing listens on this port, so every attempt fails and is retried.
  const env = { FLOWPOST_CAPTURE: 'off', FLOWPOST_SMTP_URL: 'smtp://127.0.0.1:9', FLOWPOST_EMAIL_FROM: 'a@example.com' }
  const first = await startTestServer({ env: { ...env, FLOWPOST_LOG_CONTENT: 'off' } })
  const { project } = await createFlow(first)
  const fields = { send_at: inFuture(3_600_000), expires_at: inFuture(7_200_000) }
  queuedId = (await send(first, project.id, { ...fields, reference: 'queued' })).id
  interruptedId = (await send(first, project.id, { ...fields, reference: 'interrupted' })).id
  failedId = (await send(first, project.id, { expires_at: inFuture(2_000), reference: 'failed' })).id
  await readCompleted(first, failedId)
  await first.stop()
  const database = await openTestDatabase(first.database)
  const queue = createQueue({ database, log: pino({ level: 'silent' }) })
  const [projectUuid, deliveryId] = [newUuid(), newUuid()]
  const job = { deliveryId, userId: 'alice', projectId: projectUuid, sourceType: 'smtp', priority: 0 }
  const rescheduleByAnHour = async (): Promise<number> => {
    const [claimed] = await queue.claim(1, { projectIds: [], userIds: [] })
    expect(claimed).toMatchObject({ deliveryId, expiresInMs: expect.any(Number) })
    await queue.reschedule(claimed ? [{ job: claimed, delayMs: 3_600_000 }] : [])
    const [due] = await database.query<{ seconds: number }>(
      'select extract(epoch from due_at - now())::float8 as seconds from delivery_jobs where delivery_id = $1',
      [deliveryId],
    )
    return due?.seconds ?? Number.NaN
  }
  await queue.enqueue(database, [{ ...job, expiresAt: new Date(Date.now() + 600_000) }])
  dueInSeconds = await rescheduleByAnHour()
  await database.query("update delivery_jobs set due_at = now(), expires_at = now() - interval '1 second' where delivery_id = $1", [
    deliveryId,
  ])
  expiredDueInSeconds = await rescheduleByAnHour()
  await database.query('delete from delivery_jobs where delivery_id = $1', [deliveryId])
  await database.close()
  await onDatabase(first.database, async (query) => {
    await query('update delivery_jobs set due_at = now(), expires_at = now()')
    await query('update notifications set expires_at = now()')
    // The rows look as if the process had ended during an attempt.
    await query(`update deliveries d set status = 'sending', attempt_count = 1, attempt_id = d.id, first_attempt_at = now() from notifications n
      where n.id = d.notification_id and n.reference = 'interrupted'`)
    await query(`insert into attempts (id, delivery_id, number, started_at, outcome) select d.id, d.id, 1, now(), 'sending' from deliveries d
      join notifications n on n.id = d.notification_id where n.reference = 'interrupted'`)
  })
  server = await first.restart()
})
afterAll(() => server?.[Symbol.asyncDispose]())

it('cancels a delivery that is due after its notification has expired', async () => {
  expect(await readCompleted(server, queuedId)).toMatchObject({
    status: 'canceled',
    deliveries: [{ status: 'canceled', attempt_count: 0, next_attempt_at: null, failure, attempts: [] }],
  })
})

it('counts the jobs of deliveries that end without an attempt as processed', async () => {
  await readCompleted(server, queuedId)
  await readCompleted(server, interruptedId)
  const scrape = async () => (await server.request('GET', '/metrics', { key: null })).text
  await expect.poll(scrape).toMatch(/^flowpost_jobs_processed_total 2$/m)
})

it('cancels a delivery instead of retrying it when the next attempt would be too late, and keeps the attempts', async () => {
  const { status, deliveries } = await readCompleted(server, failedId)
  expect(status).toBe('canceled')
  expect(deliveries[0]).toMatchObject({ status: 'canceled', next_attempt_at: null, failure })
  expect(deliveries[0].attempts.length).toBeGreaterThan(0)
  expect(deliveries[0].attempts.at(-1)).toMatchObject({ outcome: 'retrying' })
})

it('does not send an interrupted message again after it has expired', async () => {
  expect(await readCompleted(server, interruptedId)).toMatchObject({
    status: 'canceled',
    deliveries: [{ status: 'canceled', attempt_count: 1, failure, attempts: [{ outcome: 'retrying', duration_ms: null }] }],
  })
})

it('makes a waiting job due when its notification expires', () => {
  expect(dueInSeconds).toBeGreaterThan(0)
  expect(dueInSeconds).toBeLessThanOrEqual(600)
})

it('keeps the given delay of a job whose notification has already expired, so that an attempt in progress can end', () => {
  expect(expiredDueInSeconds).toBeGreaterThan(3_500)
})

it('removes the jobs and message bodies of expired notifications, which a search by failure code finds', async () => {
  await server.stop()
  const [left] = await onDatabase(server.database, (query) =>
    query('select (select count(*) from delivery_jobs)::int as jobs, (select count(*) from message_bodies)::int as bodies'),
  )
  server = await server.restart()
  expect(left).toEqual({ jobs: 0, bodies: 0 })
  const { json } = await server.request('GET', '/v1/notifications?failure_code=expired&target=ops@EXAMPLE.com')
  expect(json.data.map(({ id }: { id: string }) => id)).toEqual([failedId, interruptedId, queuedId])
})

it('rejects a retry of an expired notification', async () => {
  const response = await server.request('POST', `/v1/notifications/${failedId}/retry`)
  expectProblem(response, 'not_retryable')
  expect(response.json.detail).toBe('The notification has expired.')
})

// After a delivery is claimed, it may be canceled and retried on request. The retry replaces its job, which may not have expired.
it('cancels only deliveries whose current job has expired', async () => {
  const { project } = await createFlow(server)
  const [send_at, expires_at] = [inFuture(3_600_000), inFuture(7_200_000)]
  for (const fields of [{ reference: 'expired', expires_at }, { reference: 'later', expires_at }, { reference: 'never' }])
    await send(server, project.id, { ...fields, send_at })
  await server.stop()
  const database = await openTestDatabase(server.database)
  try {
    const pending = `from deliveries d join notifications n on n.id = d.notification_id where d.status = 'queued'`
    await database.query(
      `update delivery_jobs set expires_at = now() - interval '1 second'
       where delivery_id in (select d.id ${pending} and n.reference = 'expired')`,
    )
    const rows = await database.query<{ id: Uuid; reference: string }>(`select d.id, n.reference ${pending}`)
    const deps = { clock: systemClock, logContent: true, recipients: testRecipients, recordEvents: recordTestEvents }
    const ids = rows.map(({ id }) => id)
    const { canceled } = await cancelExpired(database, deps, ids)
    expect([...canceled.keys()]).toEqual(rows.filter(({ reference }) => reference === 'expired').map(({ id }) => id))
    expect(await database.query(`select n.reference ${pending} order by 1`)).toEqual([{ reference: 'later' }, { reference: 'never' }])
  } finally {
    await database.close()
  }
})
