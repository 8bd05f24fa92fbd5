import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Logger } from 'pino'
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest'
import { migrateProgram } from '../src/cli/migrate.ts'
import type { Migration } from '../src/database/migrate/migration.ts'
import { migrations } from '../src/database/migrations/index.ts'
import { openPostgres } from '../src/database/postgres.ts'
import { entities } from '../src/entities.ts'
import { childEnvironment } from './support/child-environment.ts'
import { onDatabase } from './support/direct-database.ts'
import { emptyDatabase } from './support/migrate-database.ts'
import { pgBouncerBinary, startPgBouncer } from './support/pgbouncer.ts'
import { freePort, postgresBinaries, startPrivatePostgres } from './support/private-postgres.ts'
import { createFlow, readCompleted, send } from './support/resources.ts'
import { runCommand } from './support/run-command.ts'
import { createTestDatabase, runSql, type TestDatabase } from './support/test-database.ts'
import { startTestServer } from './support/test-server.ts'

const main = fileURLToPath(new URL('../bin/flowpost.js', import.meta.url))

/** Runs the server until it exits. */
const runToExit = async (env: Readonly<Record<string, string>>, onWaiting = (_pid: number) => {}) => {
  const child = spawn(process.execPath, [main], {
    env: { ...childEnvironment, PORT: '0', FLOWPOST_CAPTURE: 'missing', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let out = ''
  let err = ''
  child.stdout.on('data', (chunk: Buffer) => {
    out += chunk.toString()
    if (out.includes('cannot be reached yet')) onWaiting(child.pid ?? 0)
  })
  child.stderr.on('data', (chunk: Buffer) => {
    err += chunk.toString()
  })
  const [code] = await once(child, 'close')
  return { code, out, err }
}

const unreachableUrl = async () => `postgres://nobody@127.0.0.1:${await freePort()}/none`

const optionsFor = (database: TestDatabase, url: string) => ({
  database: { ...database, env: { ...database.env, DATABASE_URL: url } },
})

describe('a database that is unreachable at the start', () => {
  it('stops the startup with a message after databaseWaitMs', async () => {
    const url = await unreachableUrl()
    const database: TestDatabase = { env: { DATABASE_URL: url, FLOWPOST_CAPTURE: 'missing' }, url, dataDir: '', remove: async () => {} }
    await expect(startTestServer({ database, databaseWaitMs: 300 })).rejects.toThrow(
      /^PostgreSQL could not be reached for 0 s: connect ECONNREFUSED 127\.0\.0\.1:\d+\. Start it, or check DATABASE_URL\.$/,
    )
  })

  it('does not prevent the process from exiting at SIGTERM', async () => {
    const exited = await runToExit({ DATABASE_URL: await unreachableUrl() }, (pid) => process.kill(pid, 'SIGTERM'))
    expect([exited.code, exited.err]).toEqual([0, ''])
    expect(exited.out.match(/cannot be reached yet/g)).toHaveLength(1)
  })

  it.skipIf(postgresBinaries() === undefined)('is opened when it becomes reachable', async () => {
    await using postgres = await startPrivatePostgres()
    await postgres.stop('fast')
    const { url } = postgres
    const database: TestDatabase = { env: { DATABASE_URL: url, FLOWPOST_CAPTURE: 'missing' }, url, dataDir: '', remove: async () => {} }
    const starting = startTestServer({ database })
    await postgres.start()
    await using server = await starting
    expect((await server.request('GET', '/readyz')).status).toBe(200)
  })
})

it.skipIf(postgresBinaries() === undefined)(
  'a migration that loses its connection does not use up the wait for an unreachable database',
  async () => {
    await using postgres = await startPrivatePostgres()
    // The first attempt ends its own connection.
    const statements = [
      'create sequence if not exists interrupted_runs',
      `select case nextval('interrupted_runs') when 1 then pg_terminate_backend(pg_backend_pid()) end`,
    ]
    const interrupted: Migration = { name: '99990101000000-interrupted', statements, transactional: false }
    const log = { warn: () => {}, info: () => {}, error: () => {}, debug: () => {} } as unknown as Logger
    const applied: string[] = []
    const database = await openPostgres({
      entities,
      url: postgres.url,
      poolSize: 2,
      log,
      // The first attempt applies migrations for much longer than this, and then loses its connection. If that time counted as
      // an outage, the startup would fail.
      waitMs: 1,
      migrations: [...migrations, interrupted],
      onApplied: (name) => applied.push(name),
    })
    await database.close()
    expect(applied.at(-1)).toBe(interrupted.name)
  },
)

it('exits with a message when the connection string names several hosts', async () => {
  const { code, err } = await runToExit({ DATABASE_URL: 'postgres://flowpost:secret@db1:5432,db2:5432/flowpost' })
  expect(code).toBe(1)
  expect(err).toContain('DATABASE_URL must name one host, not several.')
  expect(err).not.toMatch(/secret|\n\s+at /)
})

describe.skipIf(inject('postgres') === null)('a database on a PostgreSQL server (needs TEST_DATABASE_URL)', () => {
  let database: TestDatabase

  beforeEach(async () => {
    database = await createTestDatabase()
  })
  afterEach(() => database.remove())

  it('stops the startup with a message and without a stack trace when it does not exist', async () => {
    const { code, err } = await runToExit({ DATABASE_URL: `${database.url}_missing` })
    expect(code).toBe(1)
    expect(err).toMatch(/^\nThe database in DATABASE_URL does not exist: .*\. Create it, or name another database\.\n\n$/)
  })

  it('stops the startup and `pnpm migrate` with a message when its encoding is not UTF8', async () => {
    const name = `${new URL(database.url ?? '').pathname.slice(1)}_latin1`
    await runSql(database.url ?? '', `create database ${name} encoding 'LATIN1' locale 'C' template template0`)
    const env = { DATABASE_URL: new URL(`/${name}`, database.url).toString() }
    const message = /^\n?The database in DATABASE_URL has the encoding LATIN1, .+ template template0`, and name it in DATABASE_URL\.\n+$/
    expect(await runToExit(env)).toMatchObject({ code: 1, err: expect.stringMatching(message) })
    expect(await runCommand(migrateProgram, [], env)).toMatchObject({ code: 1, out: '', err: expect.stringMatching(message) })
  })

  it('stops the startup with a message, and stays unchanged, when it belongs to another application', async () => {
    const tables = `select relname from pg_class where relnamespace = 'public'::regnamespace`
    await onDatabase(database, async (query) => {
      await emptyDatabase(query)
      await query('create table projects (title text)')
    })
    const { code, err } = await runToExit(database.env)
    expect(code).toBe(1)
    expect(err).toMatch(/^\nThe database already has a table "projects", but .+, and name it in DATABASE_URL\.\n\n$/)
    expect(await onDatabase(database, (query) => query(tables))).toEqual([{ relname: 'projects' }])
  })

  it("has a clock whose offset from the machine's clock is logged and in the metrics", async () => {
    await using server = await startTestServer({ database })
    const { text } = await server.request('GET', '/metrics')
    const skew = Number(/^flowpost_clock_skew_seconds (\S+)$/m.exec(text)?.[1])
    expect(Math.abs(skew)).toBeLessThan(5)
    expect(server.logged.some((line) => line.includes("Measured the offset from PostgreSQL's clock."))).toBe(true)
  })

  describe.skipIf(pgBouncerBinary() === undefined)('behind PgBouncer (needs PgBouncer)', () => {
    it.each(['transaction', 'statement'] as const)('stops the startup with the reason in %s mode', async (mode) => {
      await using pooler = await startPgBouncer(database.url ?? '', mode)
      await expect(startTestServer(optionsFor(database, pooler.url))).rejects.toThrow(
        `DATABASE_URL connects to a pooler in ${mode} mode. Flowpost needs session pooling`,
      )
    })

    it('stops the startup in transaction mode even if the pooler also serves other clients', async () => {
      await using pooler = await startPgBouncer(database.url ?? '', 'transaction')
      await Promise.all(
        Array.from({ length: 5 }, () =>
          onDatabase({ ...database, url: pooler.url }, async (query) => {
            for (let count = 0; count < 20; count += 1) await query('select pg_sleep(0.001)')
          }),
        ),
      )
      await expect(startTestServer(optionsFor(database, pooler.url))).rejects.toThrow('a pooler in transaction mode')
    })

    it('serves requests and delivers messages in session mode, without ignore_startup_parameters in the pooler', async () => {
      await using pooler = await startPgBouncer(database.url ?? '', 'session')
      const server = await startTestServer(optionsFor(database, pooler.url))
      const { project } = await createFlow(server)
      expect(await readCompleted(server, (await send(server, project.id)).id)).toMatchObject({ status: 'sent' })
      await server.stop()
    })
  })
})
