import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { pino } from 'pino'
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest'
import { openPostgres } from '../src/database/postgres.ts'
import { entities } from '../src/entities.ts'
import { expectProblem } from './support/expect-problem.ts'
import { type NetworkProxy, startNetworkProxy } from './support/network-proxy.ts'
import { createFlow, readCompleted, send } from './support/resources.ts'
import { startSmtpSink } from './support/smtp-sink.ts'
import { createTestDatabase, type TestDatabase } from './support/test-database.ts'
import { startTestServer } from './support/test-server.ts'

const projects = '/v1/settings/projects'
const maxRecoveryMs = 15_000

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

describe.skipIf(inject('postgres') === null)('a network to PostgreSQL that goes silent (needs TEST_DATABASE_URL)', () => {
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

  it('leaves no statement, transaction or LISTEN hanging when old connections stay silent and new ones work', async () => {
    const opened = await openPostgres({ entities, url, poolSize: 10, log: pino({ level: 'silent' }) })
    const heard: string[] = []
    await opened.listen(
      'test',
      (payload) => heard.push(payload),
      () => heard.push('gap'),
      () => heard.push('lost'),
    )
    // All connections of the pool, half of them to be idle when the network fails.
    await Promise.all(Array.from({ length: 10 }, () => opened.query('select pg_sleep(0.1)')))
    heard.length = 0
    network.loseOpenConnections()
    const startedMs = performance.now()
    const underWay = await Promise.allSettled([
      ...Array.from({ length: 3 }, () => opened.query('select 1')),
      opened.transaction((transaction) => transaction.query('select 1')),
      opened.unitOfWork(({ em }) => em.execute('select 1')),
    ])
    expect(underWay.map(({ status }) => status)).toEqual(Array(5).fill('rejected'))
    const next = await Promise.allSettled(Array.from({ length: 10 }, () => opened.query('select 1')))
    expect(next.map(({ status }) => status)).toEqual(Array(10).fill('fulfilled'))
    await opened.unitOfWork(({ em }) => em.execute('select 1'))
    await expect.poll(() => heard, { timeout: maxRecoveryMs }).toEqual(['lost', 'gap'])
    await opened.notify('test', 'again')
    await expect.poll(() => heard).toEqual(['lost', 'gap', 'again'])
    expect(performance.now() - startedMs).toBeLessThan(maxRecoveryMs)
    expect(opened.isReachable()).toBe(true)
    await opened.close()
  })

  it('does not end a statement that takes longer than others', async () => {
    const opened = await openPostgres({ entities, url, poolSize: 2, log: pino({ level: 'silent' }) })
    // Longer than a statement may go without a sign of life.
    expect(await opened.query(`select 'done' as state from pg_sleep(12)`)).toEqual([{ state: 'done' }])
    await opened.close()
  })

  it('ends within seconds when it is closed while the network is silent', async () => {
    const opened = await openPostgres({ entities, url, poolSize: 2, log: pino({ level: 'silent' }) })
    await opened.listen(
      'test',
      () => {},
      () => {},
    )
    await opened.query('select 1')
    network.silence()
    const startedMs = performance.now()
    const hanging = expect(opened.query('select 1')).rejects.toThrow('closed at shutdown')
    await opened.close()
    await hanging
    expect(performance.now() - startedMs).toBeLessThan(5_000)
  })

  it('is 503 and not ready, logged once, and over within 15 s of the return of the network', async () => {
    const env = { ...database.env, DATABASE_URL: url }
    const server = await startTestServer({ database: { ...database, env }, env: { FLOWPOST_RATE_LIMIT: 'off' } })
    const { project } = await createFlow(server)
    network.silence()
    let stopped = false
    const ask = async () => {
      while (!stopped) {
        const response = await server.request('GET', projects)
        if (response.status !== 200) expectProblem(response, 'unavailable')
        await pause(20)
      }
    }
    const asking = Promise.all(Array.from({ length: 30 }, ask))
    await expect.poll(async () => (await server.request('GET', '/readyz')).status, { timeout: 8_000, interval: 250 }).toBe(503)
    expect((await server.request('GET', '/livez')).status).toBe(200)
    // Past the time at which every statement that was under way has been given up.
    await pause(8_000)
    network.resume()
    const startedMs = performance.now()
    for (let inRow = 0; inRow < 2; ) {
      const statuses = await Promise.all(Array.from({ length: 10 }, async () => (await server.request('GET', projects)).status))
      inRow = statuses.every((status) => status === 200) ? inRow + 1 : 0
      expect(performance.now() - startedMs).toBeLessThan(maxRecoveryMs)
    }
    stopped = true
    await asking
    expect((await server.request('GET', '/readyz')).status).toBe(200)
    const sent = await send(server, project.id)
    expect(await readCompleted(server, sent.id)).toMatchObject({ status: 'sent', deliveries: [{ attempt_count: 1 }] })
    const lines = server.logged.map((line) => JSON.parse(line) as { level: string; msg: string })
    expect(lines.map(({ msg }) => msg).filter((msg) => msg.startsWith('PostgreSQL can'))).toEqual([
      'PostgreSQL cannot be reached. Requests are answered with 503 until it is.',
      'PostgreSQL can be reached again.',
    ])
    expect(lines.filter(({ level }) => level === 'error' || level === 'fatal')).toEqual([])
    await server.stop()
  })

  it('goes on to accept and to deliver when old connections stay silent and new ones work', async () => {
    const env = { ...database.env, DATABASE_URL: url }
    await using smtp = await startSmtpSink()
    const server = await startTestServer({
      database: { ...database, env },
      env: { FLOWPOST_RATE_LIMIT: 'off', FLOWPOST_CAPTURE: 'off', FLOWPOST_SMTP_URL: smtp.url, FLOWPOST_EMAIL_FROM: 'a@example.com' },
    })
    const { project } = await createFlow(server)
    for (let number = 0; number < 20; number += 1) await send(server, project.id, { subject: `before ${number}` })
    await smtp.arrived(20)
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
    // Whatever was recorded is not sent again.
    const subjects = smtp.received.map(({ raw }) => raw.match(/^Subject: (.*)$/m)?.[1]?.trim())
    expect(subjects.filter((subject) => subject?.startsWith('after')).length).toBe(20)
    await server.stop()
  })

  it('does not keep a process from ending within 30 s of SIGTERM', async () => {
    const child = spawn(process.execPath, [fileURLToPath(new URL('../bin/flowpost.js', import.meta.url))], {
      env: { PATH: process.env['PATH'] ?? '', ...database.env, DATABASE_URL: url, PORT: '0', HOST: '127.0.0.1' },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let printed = ''
    child.stdout.on('data', (chunk: Buffer) => {
      printed += chunk.toString()
    })
    await expect.poll(() => printed, { timeout: 30_000 }).toMatch(/http:\/\//)
    network.silence()
    // The worker is asking for work, and waits for an answer.
    await pause(1_000)
    const startedMs = performance.now()
    child.kill('SIGTERM')
    await once(child, 'exit')
    expect(performance.now() - startedMs).toBeLessThan(30_000)
  })
})
