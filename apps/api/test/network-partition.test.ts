import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { Client } from 'pg'
import { pino } from 'pino'
import { afterEach, beforeEach, describe, expect, inject, it, vi } from 'vitest'
import { createSilenceGuard, createWorkingQuery, silentAfterMs } from '../src/database/postgres/silence-guard.ts'
import { openPostgres } from '../src/database/postgres.ts'
import { entities } from '../src/entities.ts'
import { childEnvironment } from './support/child-environment.ts'
import { onDatabase } from './support/direct-database.ts'
import { expectProblem } from './support/expect-problem.ts'
import { type NetworkProxy, startNetworkProxy } from './support/network-proxy.ts'
import { createFlow, readCompleted, send } from './support/resources.ts'
import { startSmtpSink } from './support/smtp-sink.ts'
import { createTestDatabase, type TestDatabase } from './support/test-database.ts'
import { startTestServer } from './support/test-server.ts'

const projects = '/v1/settings/projects'
const maxRecoveryMs = 15_000

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

describe.skipIf(inject('postgres') === null)('network partition between server and PostgreSQL (needs TEST_DATABASE_URL)', () => {
  let database: TestDatabase
  let network: NetworkProxy
  let url: string

  beforeEach(async () => {
    database = await createTestDatabase()
    const address = new URL(database.url ?? '')
    network = await startNetworkProxy(Number(address.port || 5432))
    address.port = String(network.port)
    url = address.toString()
  })
  afterEach(async () => {
    await network?.[Symbol.asyncDispose]()
    await database?.remove()
  })

  it('fails open statements, transactions and LISTEN within 15 s when old connections go silent and new ones work', async () => {
    const opened = await openPostgres({ entities, url, poolSize: 10, log: pino({ level: 'silent' }) })
    const events: string[] = []
    await opened.listen(
      'test',
      (payload) => events.push(payload),
      () => events.push('gap'),
      () => events.push('lost'),
    )
    // Opens all connections in the pool. Half of them are idle when the network fails.
    await Promise.all(Array.from({ length: 10 }, () => opened.query('select pg_sleep(0.1)')))
    events.length = 0
    network.loseOpenConnections()
    const startedMs = performance.now()
    const inFlight = await Promise.allSettled([
      ...Array.from({ length: 3 }, () => opened.query('select 1')),
      opened.transaction((transaction) => transaction.query('select 1')),
      opened.unitOfWork(({ em }) => em.execute('select 1')),
    ])
    expect(inFlight.map(({ status }) => status)).toEqual(Array(5).fill('rejected'))
    const retries = await Promise.allSettled(Array.from({ length: 10 }, () => opened.query('select 1')))
    expect(retries.map(({ status }) => status)).toEqual(Array(10).fill('fulfilled'))
    await opened.unitOfWork(({ em }) => em.execute('select 1'))
    await expect.poll(() => events, { timeout: maxRecoveryMs }).toEqual(['lost', 'gap'])
    await opened.notify('test', 'payload')
    await expect.poll(() => events).toEqual(['lost', 'gap', 'payload'])
    expect(performance.now() - startedMs).toBeLessThan(maxRecoveryMs)
    expect(opened.isReachable()).toBe(true)
    await opened.close()
  })

  it('closes the connection of a statement that PostgreSQL no longer reports as active', async () => {
    const client = new Client({ connectionString: url })
    await client.connect()
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
    const connection = { backendPid: rows[0]?.pid, waitingSinceMs: 0, lastResponseMs: 0, abandon: vi.fn() }
    let nowMs = 0
    let probe: Promise<unknown> = Promise.resolve()
    const findWorking = createWorkingQuery(url)
    const guard = createSilenceGuard({
      connections: [connection],
      log: pino({ level: 'silent' }),
      nowMs: () => nowMs,
      findWorking: (pids) => {
        const result = findWorking(pids)
        probe = result
        return result
      },
    })
    const advance = async (ms: number) => {
      for (const untilMs = nowMs + ms; nowMs < untilMs; ) {
        nowMs += 500
        guard.check()
        await probe
      }
    }

    const sleep = client.query('select pg_sleep(60)').catch(() => {})
    await advance(silentAfterMs + 2_000)
    expect(connection.abandon).not.toHaveBeenCalled()
    await onDatabase(database, (query) => query('select pg_cancel_backend($1)', [connection.backendPid]))
    await sleep
    await advance(silentAfterMs)
    expect(connection.abandon).toHaveBeenCalled()
    await client.end()
  })

  it('closes the pool within 5 s', async () => {
    const opened = await openPostgres({ entities, url, poolSize: 2, log: pino({ level: 'silent' }) })
    await opened.listen(
      'test',
      () => {},
      () => {},
    )
    await opened.query('select 1')
    network.silence()
    const startedMs = performance.now()
    const rejection = expect(opened.query('select 1')).rejects.toThrow('closed at shutdown')
    await opened.close()
    await rejection
    expect(performance.now() - startedMs).toBeLessThan(5_000)
  })

  it('causes 503 responses and failed readiness, is logged once, and has no effect 15 s after it ends', async () => {
    const env = { ...database.env, DATABASE_URL: url }
    const server = await startTestServer({ database: { ...database, env }, env: { FLOWPOST_RATE_LIMIT: 'off' } })
    const { project } = await createFlow(server)
    network.silence()
    let stopped = false
    const rejections = Array.from({ length: 30 }, () => 0)
    const sendRequests = async (_: unknown, client: number) => {
      while (!stopped) {
        const response = await server.request('GET', projects)
        if (response.status !== 200) {
          expectProblem(response, 'unavailable')
          rejections[client] = (rejections[client] ?? 0) + 1
        }
        await pause(20)
      }
    }
    const clients = Promise.all(rejections.map(sendRequests))
    await expect.poll(async () => (await server.request('GET', '/readyz')).status, { timeout: 8_000, interval: 250 }).toBe(503)
    expect((await server.request('GET', '/livez')).status).toBe(200)
    // The outage lasts until every client has received two rejections. By then, the server has abandoned the connections on
    // which the clients' first statements were waiting.
    await expect.poll(() => Math.min(...rejections), { timeout: 30_000 }).toBeGreaterThan(1)
    network.resume()
    const startedMs = performance.now()
    for (let inRow = 0; inRow < 2; ) {
      const statuses = await Promise.all(Array.from({ length: 10 }, async () => (await server.request('GET', projects)).status))
      inRow = statuses.every((status) => status === 200) ? inRow + 1 : 0
      expect(performance.now() - startedMs).toBeLessThan(maxRecoveryMs)
    }
    stopped = true
    await clients
    expect((await server.request('GET', '/readyz')).status).toBe(200)
    const sent = await send(server, project.id)
    expect(await readCompleted(server, sent.id)).toMatchObject({ status: 'sent', deliveries: [{ attempt_count: 1 }] })
    const lines = server.logged.map((line) => JSON.parse(line) as { level: string; msg: string })
    expect(lines.map(({ msg }) => msg).filter((msg) => msg.startsWith('PostgreSQL can'))).toEqual([
      'PostgreSQL cannot be reached. Requests receive a 503 response until it can be reached again.',
      'PostgreSQL can be reached again.',
    ])
    expect(lines.filter(({ level }) => level === 'error' || level === 'fatal')).toEqual([])
    await server.stop()
  })

  it('accepts and delivers messages within 15 s when old connections go silent and new ones work', async () => {
    const env = { ...database.env, DATABASE_URL: url }
    await using smtp = await startSmtpSink()
    const server = await startTestServer({
      database: { ...database, env },
      env: { FLOWPOST_RATE_LIMIT: 'off', FLOWPOST_CAPTURE: 'off', FLOWPOST_SMTP_URL: smtp.url, FLOWPOST_EMAIL_FROM: 'a@example.com' },
    })
    const { project } = await createFlow(server)
    for (let number = 0; number < 20; number += 1) await send(server, project.id, { subject: `before ${number}` })
    await smtp.waitForMessages(20)
    network.loseOpenConnections()
    const startedMs = performance.now()
    const accepted: string[] = []
    while (accepted.length < 20) {
      const json = { project_id: project.id, subject: `after ${accepted.length}`, message: 'm' }
      const key = `after-${accepted.length}`
      const response = await server.request('POST', '/v1/notifications', { json, headers: { 'Idempotency-Key': key } })
      if (response.status === 202) accepted.push(response.json.id)
      else expectProblem(response, 'unavailable')
    }
    for (const id of accepted) expect((await readCompleted(server, id)).status).toBe('sent')
    expect(performance.now() - startedMs).toBeLessThan(maxRecoveryMs)
    // No message that was recorded as sent is sent again.
    const subjects = smtp.received.map(({ raw }) => raw.match(/^Subject: (.*)$/m)?.[1]?.trim())
    expect(subjects.filter((subject) => subject?.startsWith('after')).length).toBe(20)
    await server.stop()
  })

  it('exits the process within 30 s of SIGTERM', async () => {
    const child = spawn(process.execPath, [fileURLToPath(new URL('../bin/flowpost.js', import.meta.url))], {
      env: { ...childEnvironment, ...database.env, DATABASE_URL: url, PORT: '0', HOST: '127.0.0.1' },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let printed = ''
    child.stdout.on('data', (chunk: Buffer) => {
      printed += chunk.toString()
    })
    await expect.poll(() => printed, { timeout: 30_000 }).toMatch(/http:\/\//)
    network.silence()
    // By then, the worker waits for the response to a claim.
    await pause(1_000)
    const startedMs = performance.now()
    child.kill('SIGTERM')
    await once(child, 'exit')
    expect(performance.now() - startedMs).toBeLessThan(30_000)
  })
})
