import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openPostgres, type PostgresDatabase } from '../src/database/postgres.ts'
import { entities } from '../src/entities.ts'
import { expectProblem } from './support/expect-problem.ts'
import { type PrivatePostgres, postgresBinaries, startPrivatePostgres } from './support/private-postgres.ts'
import { createFlow, readCompleted } from './support/resources.ts'
import { startSmtpSink } from './support/smtp-sink.ts'
import { startTestServer, type TestServer } from './support/test-server.ts'

const unconfirmed = { name: 'UnconfirmedCommitError', code: '40003' }

describe.skipIf(postgresBinaries() === undefined)('commits without a synchronous standby (need the PostgreSQL binaries)', () => {
  let postgres: PrivatePostgres
  let admin: Client

  beforeAll(async () => {
    postgres = await startPrivatePostgres()
    admin = new Client({ connectionString: postgres.url })
    await admin.connect()
  })
  afterAll(async () => {
    await admin.end()
    await postgres[Symbol.asyncDispose]()
  })

  /** Makes commits wait for a standby that does not exist, or lets them return again. */
  const requireStandby = async (required: boolean): Promise<void> => {
    await admin.query(`alter system set synchronous_standby_names = '${required ? 'missing' : ''}'`)
    await admin.query('select pg_reload_conf()')
    const waits = () => admin.query('show synchronous_standby_names').then(({ rows }) => rows[0].synchronous_standby_names !== '')
    while ((await waits()) !== required) await sleep(5)
  }

  /** Waits until commits wait for the standby, and ends each wait with a PostgreSQL function. */
  const endWaits = async (end: 'pg_cancel_backend' | 'pg_terminate_backend'): Promise<void> => {
    for (;;) {
      const { rowCount } = await admin.query(`select ${end}(pid) from pg_stat_activity where wait_event = 'SyncRep'`)
      if (rowCount) return
      await sleep(5)
    }
  }

  const openDatabase = (url = postgres.url) => openPostgres({ entities, url, poolSize: 2, log: pino({ level: 'silent' }) })

  describe('of the database', () => {
    const insert = 'insert into written values (1)'
    const writes: Record<string, (database: PostgresDatabase) => Promise<unknown>> = {
      'a statement': (database) => database.query(insert),
      'a prepared statement': (database) => database.query({ name: 'write', text: insert }),
      'a transaction': (database) => database.transaction((transaction) => transaction.query(insert)),
      'a unit of work': (database) => database.unitOfWork((unit) => unit.query(insert)),
    }

    beforeAll(() => admin.query('create table written (id int)'))

    it('reject with an unknown outcome when the wait is canceled', async () => {
      const database = await openDatabase()
      await requireStandby(true)
      for (const [name, write] of Object.entries(writes)) {
        const writing = write(database)
        const rejected = expect(writing, name).rejects.toMatchObject(unconfirmed)
        await endWaits('pg_cancel_backend')
        await rejected
      }
      const terminated = expect(database.query(insert)).rejects.toThrow('Connection terminated')
      await endWaits('pg_terminate_backend')
      await terminated
      await requireStandby(false)
      // All transactions were committed on the primary, although no standby has received them.
      expect(await database.query('select count(*)::int as count from written')).toEqual([{ count: 5 }])
      expect(await database.query('select 1 as one')).toEqual([{ one: 1 }])
      await database.close()
    })

    it('reject even if the role hides warnings', async () => {
      await admin.query('create role quiet superuser login')
      await admin.query(`alter role quiet set client_min_messages = 'error'`)
      const database = await openDatabase(postgres.url.replace('postgres@', 'quiet@'))
      await requireStandby(true)
      const rejected = expect(database.query(insert)).rejects.toMatchObject(unconfirmed)
      await endWaits('pg_cancel_backend')
      await rejected
      await requireStandby(false)
      await database.close()
    })
  })

  describe('of the server', () => {
    const startServer = (env: Readonly<Record<string, string>> = {}): Promise<TestServer> => {
      const database = { env: { DATABASE_URL: postgres.url }, url: postgres.url, dataDir: '', remove: async () => {} }
      return startTestServer({ database, env: { FLOWPOST_CAPTURE: 'missing', ...env } })
    }

    it('cause 503 for a notification until its commit is confirmed, and store it once for an idempotency key', async () => {
      await using server = await startServer({ FLOWPOST_ROLE: 'api' })
      const { project } = await createFlow(server)
      const send = () =>
        server.request('POST', '/v1/notifications', {
          json: { project_id: project.id, subject: 'Invoice', message: 'It is ready.' },
          headers: { 'Idempotency-Key': 'invoice-1' },
        })
      await requireStandby(true)
      // The first request stores its response on the primary only. The second request finds this response, but must not return
      // it until the commit is confirmed.
      for (let count = 0; count < 2; count += 1) {
        const sending = send()
        await endWaits('pg_cancel_backend')
        const response = await sending
        expectProblem(response, 'unavailable')
        expect(response.headers.get('retry-after')).toBe('1')
      }
      await requireStandby(false)
      const accepted = await send()
      expect(accepted.status).toBe(202)
      expect(accepted.headers.get('idempotency-replayed')).toBe('true')
      const { json } = await server.request('GET', `/v1/notifications?project_id=${project.id}`)
      expect(json.data.map(({ id }: { id: string }) => id)).toEqual([accepted.json.id])
    })

    it('cause 503 for a settings change', async () => {
      await using server = await startServer({ FLOWPOST_ROLE: 'api' })
      await requireStandby(true)
      const creating = server.request('POST', '/v1/settings/projects', { json: { name: 'unconfirmed' } })
      await endWaits('pg_cancel_backend')
      expectProblem(await creating, 'unavailable')
      await requireStandby(false)
    })

    it('cause a worker to record an outcome again, without sending again', async () => {
      let received = 0
      await using smtp = await startSmtpSink({
        reply: () => {
          received += 1
          return { code: 250, text: 'ok', afterMs: 200 }
        },
      })
      await using server = await startServer({ FLOWPOST_CAPTURE: 'off', FLOWPOST_SMTP_URL: smtp.url, FLOWPOST_EMAIL_FROM: 'a@example.com' })
      const { project } = await createFlow(server)
      const body = { project_id: project.id, subject: 'Invoice', message: 'It is ready.' }
      const { json } = await server.request('POST', '/v1/notifications', { json: body })
      await smtp.waitForMessages(1)
      await requireStandby(true)
      await endWaits('pg_cancel_backend')
      await requireStandby(false)
      expect(await readCompleted(server, json.id)).toMatchObject({ status: 'sent', deliveries: [{ attempt_count: 1 }] })
      await expect
        .poll(async () => (await server.request('GET', '/metrics', { key: null })).text)
        .toMatch(/^flowpost_delivery_attempts_total\{source_type="smtp",outcome="sent"\} 1$/m)
      expect(received).toBe(1)
    })
  })
})
