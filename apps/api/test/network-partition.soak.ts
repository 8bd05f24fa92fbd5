import { pino } from 'pino'
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest'
import { silentAfterMs } from '../src/database/postgres/silence-guard.ts'
import { openPostgres } from '../src/database/postgres.ts'
import { entities } from '../src/entities.ts'
import { createServerProcess, type ServerProcess } from './crash/processes.ts'
import { type NetworkProxy, startNetworkProxy } from './support/network-proxy.ts'
import { type SmtpSink, startSmtpSink } from './support/smtp-sink.ts'
import { createTestDatabase, type TestDatabase } from './support/test-database.ts'

const apiKey = 'fp_0123456789abcdefghijklmnopqrstuvwxyz'
/** The duration of the network's silence, in milliseconds. `FLOWPOST_SILENCE_MS=1320000` simulates a long outage. */
const silenceMs = Number(process.env['FLOWPOST_SILENCE_MS'] ?? 60_000)
const maxRecoveryMs = 15_000

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

describe.skipIf(inject('postgres') === null)(
  'network partition between PostgreSQL and an API and a worker process under load (needs TEST_DATABASE_URL)',
  () => {
    let database: TestDatabase
    let network: NetworkProxy
    let smtp: SmtpSink
    let api: ServerProcess
    let worker: ServerProcess
    let projectId: string
    let proxyUrl: string

    beforeEach(async () => {
      database = await createTestDatabase()
      const address = new URL(database.url ?? '')
      network = await startNetworkProxy(Number(address.port || 5432))
      smtp = await startSmtpSink({ reply: () => ({ code: 250, text: 'ok', afterMs: 50 }) })
      address.port = String(network.port)
      proxyUrl = address.toString()
      const env = {
        ...database.env,
        DATABASE_URL: proxyUrl,
        FLOWPOST_BOOTSTRAP_KEYS: `alice:${apiKey}`,
        FLOWPOST_RATE_LIMIT: 'off',
        FLOWPOST_CAPTURE: 'off',
        FLOWPOST_SMTP_URL: smtp.url,
        FLOWPOST_EMAIL_FROM: 'a@example.com',
      }
      api = await createServerProcess({ ...env, FLOWPOST_ROLE: 'api' })
      worker = await createServerProcess({ ...env, FLOWPOST_ROLE: 'worker' })
      await Promise.all([api.start(), worker.start()])
      projectId = (await request('POST', '/v1/settings/projects', { name: 'p' })).json.id
      await request('POST', `/v1/settings/projects/${projectId}/flows`, { name: 'f', source_type: 'smtp', target: 'ops@example.com' })
    })
    afterEach(async () => {
      await Promise.all([api.kill(), worker.kill()])
      await smtp[Symbol.asyncDispose]()
      await network[Symbol.asyncDispose]()
      await database.remove()
    })

    const request = async (method: string, path: string, body?: object, key?: string) => {
      const headers = {
        Authorization: `Bearer ${apiKey}`,
        ...(body ? { 'Content-Type': 'application/json' } : {}),
        ...(key ? { 'Idempotency-Key': key } : {}),
      }
      const response = await fetch(api.url + path, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) })
      // biome-ignore lint/suspicious/noExplicitAny: tests read any JSON response.
      return { status: response.status, json: (await response.json()) as any }
    }

    /** Sends messages until `stop` is called. Retries each message until it is accepted, and collects the ids. */
    const startLoad = (clients: number) => {
      const ids: string[] = []
      let acceptedAtMs = 0
      let stopped = false
      let number = 0
      const run = async () => {
        while (!stopped) {
          const subject = `n${++number}.`
          for (;;) {
            const body = { project_id: projectId, subject, message: 'm' }
            const { status, json } = await request('POST', '/v1/notifications', body, subject)
            if (status === 202) {
              ids.push(json.id)
              acceptedAtMs = performance.now()
              break
            }
            expect(status).toBe(503)
            await pause(200)
          }
          await pause(50)
        }
      }
      const running = Promise.all(Array.from({ length: clients }, run))
      return {
        ids,
        acceptedAtMs: () => acceptedAtMs,
        stop: async () => {
          stopped = true
          await running
        },
      }
    }

    const readyStatus = async (url: string) => (await fetch(`${url}/readyz`)).status

    it('does not cancel a statement that takes longer than the silence limit', async () => {
      const opened = await openPostgres({ entities, url: proxyUrl, poolSize: 2, log: pino({ level: 'silent' }) })
      expect(await opened.query(`select 'done' as state from pg_sleep(${(silentAfterMs + 2_000) / 1_000})`)).toEqual([{ state: 'done' }])
      await opened.close()
    })

    it('resumes within 15 s of the end of a partition and sends each message once', async () => {
      const load = startLoad(5)
      await smtp.waitForMessages(100)
      network.silence()
      await pause(silenceMs)
      expect([await readyStatus(api.url), await readyStatus(worker.url)]).toEqual([503, 503])
      const receivedBefore = smtp.received.length
      network.resume()
      const resumedAtMs = performance.now()
      await expect.poll(load.acceptedAtMs, { timeout: maxRecoveryMs }).toBeGreaterThan(resumedAtMs)
      await expect.poll(() => smtp.received.length, { timeout: maxRecoveryMs }).toBeGreaterThan(receivedBefore)
      await expect.poll(() => readyStatus(worker.url), { timeout: maxRecoveryMs }).toBe(200)
      console.info(`resumed after ${Math.round(performance.now() - resumedAtMs)} ms`)
      await pause(5_000)
      await load.stop()
      for (const id of load.ids) {
        const { json } = await request('GET', `/v1/notifications/${id}?wait=20`)
        expect(json).toMatchObject({ status: 'sent', deliveries: [{ attempt_count: 1 }] })
      }
      const subjects = smtp.received.map(({ raw }) => /^Subject: (.*)$/m.exec(raw)?.[1]?.trim())
      expect(subjects.length).toBe(new Set(subjects).size)
      expect(api.output() + worker.output()).not.toMatch(/"level":"(error|fatal)"/)
    })

    it('exits both processes within 30 s of SIGTERM during the partition', async () => {
      const load = startLoad(5)
      load.stop().catch(() => {})
      await smtp.waitForMessages(5)
      const secondLoad = startLoad(5)
      secondLoad.stop().catch(() => {})
      network.silence()
      await pause(20_000)
      const startedMs = performance.now()
      for (const server of [api, worker]) server.signal('SIGTERM')
      const codes = await Promise.all([api.ended(), worker.ended()])
      console.info(`ended after ${Math.round(performance.now() - startedMs)} ms with ${codes.join(' and ')}`)
      expect(performance.now() - startedMs).toBeLessThan(30_000)
    })
  },
)
