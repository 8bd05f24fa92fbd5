import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest'
import { createServerProcess } from '../crash/processes.ts'
import { childEnvironment } from '../support/child-environment.ts'
import { copyDatabase } from '../support/copied-database.ts'
import { onDatabase } from '../support/direct-database.ts'
import { postgresBinaries, startPrivatePostgres } from '../support/private-postgres.ts'
import { createFlow, readCompleted, send } from '../support/resources.ts'
import { type SmtpReply, startSmtpSink } from '../support/smtp-sink.ts'
import { createTestDatabase, runSql, type TestDatabase } from '../support/test-database.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'
import { alertNames, isPromtoolInstalled, readFiringAlerts } from './firing-alerts.ts'

const scrape = async (server: TestServer): Promise<string> => (await server.request('GET', '/metrics', { key: null })).text

const mail = (url: string) => ({ FLOWPOST_SMTP_URL: url, FLOWPOST_EMAIL_FROM: 'a@example.com', FLOWPOST_CAPTURE: 'off' })

const seen = new Set<string>()

/** Expects exactly these alerts to fire if the change between the two `/metrics` pages continues. */
const expectFiring = (before: string, after: string, ...alerts: string[]): void => {
  expect(readFiringAlerts(before, after).toSorted()).toEqual(alerts.toSorted())
  for (const alert of alerts) seen.add(alert)
}

describe.skipIf(!isPromtoolInstalled())("a server's metrics (need promtool, from the Debian package prometheus)", () => {
  let smtpReply: SmtpReply
  let smtp: Awaited<ReturnType<typeof startSmtpSink>>
  let resources: AsyncDisposableStack
  beforeEach(async () => {
    resources = new AsyncDisposableStack()
    smtpReply = 'accept'
    smtp = resources.use(await startSmtpSink({ reply: () => smtpReply }))
  })
  afterEach(() => resources.disposeAsync())

  const startServer = async (env: Record<string, string> = {}, database?: TestDatabase): Promise<TestServer> =>
    resources.use(await startTestServer({ env: { ...mail(smtp.url), ...env }, ...(database ? { database } : {}) }))

  it('fire no alert while messages are sent, and FlowpostAbsent when nothing is scraped', async () => {
    const server = await startServer()
    const { project } = await createFlow(server)
    const before = await scrape(server)
    for (let count = 0; count < 10; count += 1) await readCompleted(server, (await send(server, project.id)).id)
    expectFiring(before, await scrape(server))
    expectFiring('', '', 'FlowpostAbsent')
  })

  it('fire alerts while old messages of a restored database wait, and for their latency after they are sent', async () => {
    const server = await startServer({}, await createTestDatabase())
    const { project } = await createFlow(server)
    const ids: string[] = []
    for (let count = 0; count < 3; count += 1)
      ids.push((await send(server, project.id, { send_at: new Date(Date.now() + 3_600_000).toISOString() })).id)
    await server.stop()
    const copy = await copyDatabase(server.database)
    resources.defer(() => copy.remove())
    const tenMinutesAgo = `now() - interval '10 minutes'`
    await onDatabase(copy, async (query) => {
      await query(`update delivery_jobs set due_at = ${tenMinutesAgo}`)
      await query(`update deliveries set ready_at = ${tenMinutesAgo}`)
    })
    const held = await server.restart({ database: copy })
    const page = await scrape(held)
    await held.stop()
    expectFiring(page, page, 'FlowpostOnHold', 'FlowpostNotDelivering', 'FlowpostQueueDelayed')

    const sending = await server.restart({ database: copy, env: { ...mail(smtp.url), FLOWPOST_AFTER_RESTORE: 'send' } })
    for (const id of ids) await readCompleted(sending, id)
    const sent = await scrape(sending)
    await sending.stop()
    expectFiring('', sent, 'FlowpostLatencyBudgetBurning', 'FlowpostLatencyBudgetBurningFast')
  })

  it('fire FlowpostDeliveriesFailing when the mail server rejects recipients', async () => {
    const server = await startServer()
    const { project } = await createFlow(server)
    const before = await scrape(server)
    smtpReply = { code: 550, text: 'No such user.' }
    for (let count = 0; count < 6; count += 1) await readCompleted(server, (await send(server, project.id)).id)
    expectFiring(before, await scrape(server), 'FlowpostDeliveriesFailing')
  })

  it('fire FlowpostProviderFailing and FlowpostCircuitBreakerOpen when the mail server is overloaded', async () => {
    const server = await startServer()
    const { project } = await createFlow(server)
    const before = await scrape(server)
    smtpReply = { code: 421, text: 'Try again later.' }
    const isOpen = async () => {
      await send(server, project.id)
      return /^flowpost_circuit_breakers_open [1-9]/m.test(await scrape(server))
    }
    await expect.poll(isOpen, { interval: 50 }).toBe(true)
    expectFiring(before, await scrape(server), 'FlowpostProviderFailing', 'FlowpostCircuitBreakerOpen')
  })

  it('fire FlowpostUserNearLimit when one user, then also FlowpostQueueNearLimit when two users have nearly filled the queue', async () => {
    const server = await startServer({ FLOWPOST_QUEUE_LIMIT: '10' })
    const { project } = await createFlow(server)
    const send_at = new Date(Date.now() + 3_600_000).toISOString()
    for (let count = 0; count < 5; count += 1) await send(server, project.id, { send_at })
    const pageOfOne = await scrape(server)
    expectFiring(pageOfOne, pageOfOne, 'FlowpostUserNearLimit')
    const other = await server.request('POST', '/v1/settings/projects', { json: { name: 'b' }, key: server.keys.bob })
    const flow = { name: 'mail', source_type: 'smtp', target: 'ops@example.com' }
    await server.request('POST', `/v1/settings/projects/${other.json.id}/flows`, { json: flow, key: server.keys.bob })
    for (let count = 0; count < 4; count += 1) {
      const json = { project_id: other.json.id, subject: 'a', message: 'b', send_at }
      expect((await server.request('POST', '/v1/notifications', { json, key: server.keys.bob })).status).toBe(202)
    }
    const isCounted = async () => /^flowpost_queue_jobs\{state="scheduled"\} 9$/m.test(await scrape(server))
    await expect.poll(isCounted, { interval: 500 }).toBe(true)
    const page = await scrape(server)
    expectFiring(page, page, 'FlowpostQueueNearLimit', 'FlowpostUserNearLimit')
  })

  it.skipIf(inject('postgres') === null)('fire FlowpostClockSkew when the machine clock is wrong (needs TEST_DATABASE_URL)', async () => {
    const database = await createTestDatabase()
    resources.defer(() => database.remove())
    const clock = { NODE_OPTIONS: `--import=${new URL('../support/shifted-clock.ts', import.meta.url)}`, CLOCK_SHIFT_MS: '30000' }
    const server = await createServerProcess({ ...childEnvironment, ...database.env, ...clock })
    resources.defer(() => server.kill())
    await server.start()
    const page = await (await fetch(`${server.url}/metrics`)).text()
    expectFiring(page, page, 'FlowpostClockSkew')
  })

  describe.skipIf(postgresBinaries() === undefined)('on PostgreSQL (needs its binaries)', () => {
    const startOnPrivatePostgres = async () => {
      const postgres = resources.use(await startPrivatePostgres())
      const env = { DATABASE_URL: postgres.url }
      return { postgres, server: await startServer({}, { env, url: postgres.url, dataDir: '', remove: async () => {} }) }
    }

    it('fire FlowpostNotReady and FlowpostRecordingFailing when PostgreSQL stops while a message is sent', async () => {
      const { postgres, server } = await startOnPrivatePostgres()
      const { project } = await createFlow(server)
      smtpReply = { code: 250, text: 'Accepted.', afterMs: 500 }
      const before = await scrape(server)
      await send(server, project.id)
      await smtp.waitForMessages(1)
      await postgres.stop('immediate')
      const isFailing = async () => /^flowpost_outcome_recording_failures_total [1-9]/m.test(await scrape(server))
      await expect.poll(isFailing, { interval: 100 }).toBe(true)
      expectFiring(before, await scrape(server), 'FlowpostNotReady', 'FlowpostRecordingFailing')
      await postgres.start()
    })

    it('fire FlowpostQueueUnknown when a lock blocks the statement that reads the queue', async () => {
      const { postgres, server } = await startOnPrivatePostgres()
      const lock = runSql(postgres.url, 'begin; lock table delivery_jobs; select pg_sleep(60)').catch(() => {})
      await sleep(100)
      const page = await scrape(server)
      await runSql(postgres.url, `select pg_terminate_backend(pid) from pg_stat_activity where query like 'begin; lock%'`)
      await lock
      expectFiring(page, page, 'FlowpostQueueUnknown')
    })

    it('fire FlowpostPoolExhausted when a lock blocks all statements in a process', async () => {
      const { postgres, server } = await startOnPrivatePostgres()
      await createFlow(server)
      // Later pages show the state of the queue from this one.
      await scrape(server)
      const lock = runSql(postgres.url, 'begin; lock table notifications; select pg_sleep(60)').catch(() => {})
      await sleep(100)
      const lists = Array.from({ length: 60 }, () => server.request('GET', '/v1/notifications').catch(() => {}))
      const isWaiting = async () => /^flowpost_database_pool_waiting [1-9]/m.test(await scrape(server))
      await expect.poll(isWaiting, { interval: 100 }).toBe(true)
      const page = await scrape(server)
      await runSql(postgres.url, `select pg_terminate_backend(pid) from pg_stat_activity where query like 'begin; lock%'`)
      await Promise.all([lock, ...lists])
      expectFiring(page, page, 'FlowpostPoolExhausted')
    })
  })

  it('have fired every alert at least once in these tests', ({ skip }) => {
    skip(inject('postgres') === null || postgresBinaries() === undefined, 'needs TEST_DATABASE_URL and the PostgreSQL binaries')
    expect(alertNames.filter((name) => !seen.has(name))).toEqual([])
  })
})
