import { randomBytes } from 'node:crypto'
import { Client, Pool } from 'pg'
import { pino } from 'pino'
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest'
import { createListener } from '../src/database/postgres/listener.ts'
import { addResilience } from '../src/database/postgres/resilient-pool.ts'
import { openPostgres, type PostgresDatabase } from '../src/database/postgres.ts'
import { entities } from '../src/entities.ts'
import { onDatabase } from './support/direct-database.ts'
import { expectProblem } from './support/expect-problem.ts'
import { postgresBinaries, startPrivatePostgres } from './support/private-postgres.ts'
import { createFlow } from './support/resources.ts'
import { createTestDatabase, type TestDatabase } from './support/test-database.ts'
import { startTestServer } from './support/test-server.ts'

const log = pino({ level: 'silent' })

const connect = async (url: string) => {
  const client = new Client({ connectionString: url })
  await client.connect()
  return { query: (text: string) => client.query(text), [Symbol.asyncDispose]: () => client.end() }
}

describe.skipIf(inject('postgres') === null)('connections to PostgreSQL (need TEST_DATABASE_URL)', () => {
  let database: TestDatabase

  beforeEach(async () => {
    database = await createTestDatabase()
  })
  afterEach(() => database.remove())

  const open = (poolSize: number, url = database.url ?? ''): Promise<PostgresDatabase> => openPostgres({ entities, url, poolSize, log })

  it('are released to the pool when they are lost within a transaction', async () => {
    const opened = await open(2)
    const terminate = () => opened.transaction((transaction) => transaction.query('select pg_terminate_backend(pg_backend_pid())'))
    for (let count = 0; count < 3; count += 1) await expect(terminate()).rejects.toThrow()
    expect(await opened.query('select 1 as one')).toEqual([{ one: 1 }])
    await opened.close()
  })

  it('are not released before their result has arrived, even if the URL has a query_timeout', async () => {
    const url = new URL(database.url ?? '')
    url.searchParams.set('query_timeout', '50')
    const opened = await open(2, url.toString())
    expect(await opened.query(`select 'slow' as name from pg_sleep(0.2)`)).toEqual([{ name: 'slow' }])
    expect(await opened.query(`select 'next' as name`)).toEqual([{ name: 'next' }])
    await opened.close()
  })

  it('have a name of Flowpost, by which a restore recognizes them, even if the URL has another one', async () => {
    const url = new URL(database.url ?? '')
    url.searchParams.set('application_name', 'notifications')
    url.searchParams.set('connect_timeout', '5')
    const opened = await open(1, url.toString())
    const [row] = await opened.query<{ name: string }>('select application_name as name from pg_stat_activity where pid = pg_backend_pid()')
    expect(row?.name).toMatch(/^flowpost/)
    await opened.close()
  })

  it("use ISO timestamps and the isolation level read committed, whatever the database's defaults are", async () => {
    const url = new URL(database.url ?? '')
    url.searchParams.set('options', '-c DateStyle=German -c default_transaction_isolation=serializable')
    const opened = await open(1, url.toString())
    expect(
      await opened.query(`select timestamptz 'epoch' at time zone 'UTC' as at, current_setting('transaction_isolation') as isolation`),
    ).toEqual([{ at: '1970-01-01 00:00:00', isolation: 'read committed' }])
    await opened.close()
  })

  it("are shared by waiting queries when the server's connection limit is reached", async () => {
    const role = `flowpost_limited_${randomBytes(6).toString('hex')}`
    await onDatabase(database, (query) => query(`create role ${role} login connection limit 3`))
    const url = new URL(database.url ?? '')
    url.username = role
    const pool = new Pool({ connectionString: url.toString(), max: 10, connectionTimeoutMillis: 5_000 })
    addResilience(pool)
    try {
      const results = await Promise.allSettled(Array.from({ length: 60 }, () => pool.query('select pg_sleep(0.02)')))
      expect(results.filter(({ status }) => status === 'rejected')).toEqual([])
      expect(pool.totalCount).toBeLessThanOrEqual(3)
    } finally {
      await pool.end()
      await expect
        .poll(() =>
          onDatabase(database, (query) => query(`drop role ${role}`)).then(
            () => true,
            () => false,
          ),
        )
        .toBe(true)
    }
  })

  it('are replaced when the LISTEN connection is lost again before its reconnect is due', async () => {
    const listener = createListener({ url: database.url ?? '', log, times: { reconnectDelayMs: 500 } })
    const events: string[] = []
    const listen = (channel: string) =>
      listener.listen(
        channel,
        () => {},
        () => events.push(`${channel} reconnected`),
        () => events.push(`${channel} disconnected`),
      )
    const loseConnection = () =>
      onDatabase(database, (query) =>
        query(`select pg_terminate_backend(pid) from pg_stat_activity
          where application_name = 'flowpost-listen' and datname = current_database()`),
      )
    await listen('one')
    await loseConnection()
    await expect.poll(() => events).toEqual(['one reconnected', 'one disconnected'])
    // A new subscription connects at once.
    await listen('two')
    events.length = 0
    await loseConnection()
    const all = ['one disconnected', 'two disconnected', 'one reconnected', 'two reconnected']
    await expect.poll(() => events).toEqual(all)
    await listener.close()
  })

  it('receive on a channel that is subscribed to after all other subscriptions have ended', async () => {
    const listener = createListener({ url: database.url ?? '', log })
    const payloads: string[] = []
    const listen = (channel: string) =>
      listener.listen(
        channel,
        (payload) => payloads.push(payload),
        () => {},
      )
    const unsubscribe = await listen('one')
    await unsubscribe()
    await listen('two')
    await onDatabase(database, (query) => query("select pg_notify('two', 'received')"))
    await expect.poll(() => payloads).toEqual(['received'])
    await listener.close()
  })

  it('are replaced when the server has become read-only', async () => {
    const opened = await open(2)
    await opened.query('set default_transaction_read_only = on')
    const write = () => opened.transaction((transaction) => transaction.query('create table written (id int)'))
    await expect(write()).rejects.toMatchObject({ code: '25006' })
    await write()
    await opened.close()
  })

  it('have timeouts that release their locks when the client is lost', async () => {
    const opened = await open(2)
    const [settings] = await opened.query(`select current_setting('idle_in_transaction_session_timeout') as idle,
      current_setting('statement_timeout') as statement, current_setting('tcp_keepalives_idle') as keepalive`)
    expect(settings).toEqual({ idle: '15s', statement: '30s', keepalive: '5' })
    await opened.close()
  })

  it.each([
    ['53100', 'the disk is full', 'its disk is full'],
    ['53200', 'the server is out of memory', 'it is out of memory'],
    ['25006', 'the primary was demoted', 'it is a standby or read-only'],
    ['57014', 'a statement takes too long', 'statements are canceled or exceed their time limit'],
  ])('cause 503 and one log line after the error %s: %s', async (code, _meaning, text) => {
    const server = await startTestServer({ database })
    const { project } = await createFlow(server)
    await onDatabase(database, async (query) => {
      await query(
        `create function fail() returns trigger language plpgsql as $$ begin raise exception 'It failed.' using errcode = '${code}'; end $$`,
      )
      await query('create trigger fail before insert on projects for each row execute function fail()')
      await query('create trigger fail before insert on notifications for each row execute function fail()')
    })
    for (let count = 0; count < 5; count += 1) {
      const responses = [
        await server.request('POST', '/v1/settings/projects', { json: { name: 'one' } }),
        await server.request('POST', '/v1/notifications', { json: { project_id: project.id, subject: 'a', message: 'b' } }),
      ]
      for (const response of responses) {
        expectProblem(response, 'unavailable')
        expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
      }
    }
    expect((await server.request('GET', '/readyz')).status).toBe(200)
    const lines = server.logged.map((line) => JSON.parse(line) as { level: string; msg: string })
    const warned = lines.filter(({ level, msg }) => level !== 'info' && !msg.includes('autovacuum')).map(({ msg }) => msg)
    expect(warned).toEqual([`PostgreSQL rejects statements: ${text}.`])
    await server.stop()
  })
})

describe.skipIf(postgresBinaries() === undefined)('connections to a PostgreSQL server with TLS (need the PostgreSQL binaries)', () => {
  it('all use TLS when the URL requests it with sslmode', async () => {
    await using postgres = await startPrivatePostgres()
    await using admin = await connect(postgres.url)
    const files = '-keyout server.key -out server.crt'
    await admin.query(
      `copy (select 1) to program 'openssl req -x509 -newkey rsa:2048 -nodes ${files} -days 1 -subj /CN=localhost && chmod 600 server.key'`,
    )
    await admin.query('alter system set ssl = on')
    await admin.query('select pg_reload_conf()')
    const opened = await openPostgres({ entities, url: `${postgres.url}?sslmode=no-verify`, poolSize: 2, log, waitMs: 10_000 })
    await opened.listen(
      'test',
      () => {},
      () => {},
    )
    const sessions = `select a.application_name as name, s.ssl from pg_stat_ssl s join pg_stat_activity a using (pid)
      where a.application_name in ('flowpost', 'flowpost-listen') order by 1`
    expect(await opened.query(sessions)).toEqual([
      { name: 'flowpost', ssl: true },
      { name: 'flowpost-listen', ssl: true },
    ])
    await opened.close()
  })
})
