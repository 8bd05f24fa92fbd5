import { createHash } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { onDatabase } from './support/direct-database.ts'
import { createFlow, readCompleted, send, waitForDeliveryStatus } from './support/resources.ts'
import { type SmtpSink, startSmtpSink } from './support/smtp-sink.ts'
import { startTestServer, type TestServer } from './support/test-server.ts'

let smtp: SmtpSink
let server: TestServer
let test: { id: string; key: string }
let clockOffsetMs = 0

beforeAll(async () => {
  smtp = await startSmtpSink()
  server = await startTestServer({
    env: {
      FLOWPOST_CAPTURE: 'off',
      FLOWPOST_SMTP_URL: smtp.url,
      FLOWPOST_EMAIL_FROM: 'a@example.com',
      FLOWPOST_SLACK_TOKEN: 'xoxb-1-2-hush',
    },
    clock: { now: () => new Date(Date.now() + clockOffsetMs) },
    retryPolicy: { initialWaitMs: 1, maxWaitMs: 1, budgetMs: 60_000 },
  })
  test = (await server.request('POST', '/v1/settings/api-keys', { json: { name: 'tests', mode: 'test' } })).json
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  await smtp[Symbol.asyncDispose]()
})

const sendTest = async (projectId: string, fields: object = {}) => {
  const json = { project_id: projectId, subject: 'Invoice', message: 'It is ready.', ...fields }
  const accepted = await server.request('POST', '/v1/notifications', { json, key: test.key })
  expect(accepted.status, accepted.text).toBe(202)
  return accepted.json
}

const readMetric = async (name: string): Promise<string[]> => {
  const { text } = await server.request('GET', '/metrics', { key: null })
  return text.split('\n').filter((line) => line.startsWith(name) && !line.endsWith(' 0'))
}

it('sends nothing with a test key, opens no circuit breaker and counts no test message in the message metrics', async () => {
  const { project, flow } = await createFlow(server, { override_target: true })
  for (const target of ['ops@example.com', 'bounce@flowpost.test', 'outage.20@flowpost.test'])
    await readCompleted(server, (await sendTest(project.id, { target })).id)
  expect(smtp.received).toEqual([])
  expect(await readMetric('flowpost_circuit_breakers_open')).toEqual([])
  for (const name of [
    'flowpost_accepted_total',
    'flowpost_delivery_attempts_total',
    'flowpost_deliveries_settled',
    'flowpost_delivery_latency',
  ])
    expect((await readMetric(name)).filter((line) => !line.includes('_created'))).toEqual([])
  expect(await readMetric('flowpost_accepted_tests_total')).toEqual(['flowpost_accepted_tests_total 3'])
  // The workers process test messages too, so the alert for workers that do nothing must see them.
  expect(await readMetric('flowpost_jobs_processed_total')).toHaveLength(1)

  const live = await readCompleted(server, (await send(server, project.id)).id)
  expect(live).toMatchObject({ status: 'sent', test: false, deliveries: [{ captured: false, flow_id: flow.id }] })
  expect(smtp.received).toHaveLength(1)
  expect(await readMetric('flowpost_accepted_total')).toEqual(['flowpost_accepted_total 1'])
})

it('occupies no worker during the attempt to a slow recipient, and resumes the attempt in another process', async () => {
  const { project } = await createFlow(server, { target: 'slow.600s@flowpost.test' })
  const { id } = await sendTest(project.id)
  await waitForDeliveryStatus(server, id, 'sending')
  await server.stop()
  await onDatabase(server.database, async (query) => {
    const jobs = await query(`select leased, due_at > now() + interval '5 minutes' as later from delivery_jobs`)
    expect(jobs).toEqual([{ leased: false, later: true }])
    await query('update delivery_jobs set due_at = now()')
  })
  clockOffsetMs = 600_000
  server = await server.restart()
  const [delivery] = (await readCompleted(server, id)).deliveries
  expect(delivery).toMatchObject({ status: 'sent', attempt_count: 1, attempts: [{ outcome: 'captured' }] })
  expect(delivery.attempts[0].duration_ms).toBeGreaterThanOrEqual(600_000)
})

it('completes the attempt to a slow recipient after the server was stopped for 30 days', async () => {
  const { project } = await createFlow(server, { target: 'slow.5s@flowpost.test' })
  const { id } = await sendTest(project.id)
  await waitForDeliveryStatus(server, id, 'sending')
  await server.stop()
  await onDatabase(server.database, async (query) => {
    await query(`update deliveries set first_attempt_at = first_attempt_at - interval '30 days' where status = 'sending'`)
    await query(`update delivery_jobs set due_at = now()`)
  })
  server = await server.restart()
  expect((await readCompleted(server, id)).deliveries).toMatchObject([{ status: 'sent', attempts: [{ duration_ms: 2_147_483_647 }] }])
})

it('captures chat messages without using up the rate limit of their channel, and stores test keys in a form that an earlier release rejects', async () => {
  const { project } = await createFlow(server, { source_type: 'slack', target: 'C024BE91L' })
  const ids = [(await sendTest(project.id)).id, (await sendTest(project.id)).id]
  for (const id of ids) expect((await readCompleted(server, id)).deliveries).toMatchObject([{ status: 'sent', captured: true }])
  await server.stop()
  await onDatabase(server.database, async (query) => {
    expect(await query('select key from destinations')).toEqual([])
    expect(await query(`select distinct user_id from captured_messages where source_type = 'slack'`)).toEqual([{ user_id: 'alice' }])
    const find = (text: string) =>
      query(`select mode from api_keys where token_hash = decode($1, 'hex')`, [createHash('sha256').update(text).digest('hex')])
    // An earlier release looks up the hash of the key without `test:`. If it found this hash, it would use the test key as a
    // live key.
    expect(await find(test.key)).toEqual([])
    expect(await find(`test:${test.key}`)).toEqual([{ mode: 'test' }])
    expect(await find(server.keys.alice)).toEqual([{ mode: 'live' }])
  })
})
