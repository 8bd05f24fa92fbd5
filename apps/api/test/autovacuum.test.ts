import { Writable } from 'node:stream'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { keysProgram } from '../src/cli/keys.ts'
import { readConfig } from '../src/config/config.ts'
import { warnWithoutAutovacuum } from '../src/database/postgres/autovacuum-check.ts'
import { createLog } from '../src/log.ts'
import { openDatabase } from '../src/open-database.ts'
import { onDatabase } from './support/direct-database.ts'
import { type PrivatePostgres, postgresBinaries, startPrivatePostgres } from './support/private-postgres.ts'
import { runCommand } from './support/run-command.ts'
import type { TestDatabase } from './support/test-database.ts'
import { startTestServer } from './support/test-server.ts'

const logOf = async (work: (log: ReturnType<typeof createLog>) => Promise<void>): Promise<{ level: string; msg: string }[]> => {
  const lines: string[] = []
  const destination = new Writable({
    write: (chunk, _encoding, done) => {
      lines.push(String(chunk))
      done()
    },
  })
  await work(createLog({ level: 'debug', destination }))
  return lines.map((line) => JSON.parse(line))
}

it('logs at debug and continues when the settings cannot be read', async () => {
  const unreachable = { query: () => Promise.reject(new Error('The server is unreachable.')) }
  const logged = await logOf((log) => warnWithoutAutovacuum(unreachable, log))
  expect(logged).toMatchObject([{ level: 'debug', err: { message: 'The server is unreachable.' } }])
})

describe.skipIf(postgresBinaries() === undefined)('autovacuum (needs the PostgreSQL binaries)', () => {
  let postgres: PrivatePostgres
  let database: TestDatabase

  const run = (...statements: string[]) =>
    onDatabase(database, async (query) => {
      for (const statement of statements) await query(statement)
    })

  /** Changes a PostgreSQL setting, and waits until new sessions have the new value. */
  const configure = async (name: string, value: 'on' | 'off') => {
    await run(`alter system set ${name} = ${value}`, 'select pg_reload_conf()')
    const shown = () => onDatabase(database, async (query) => (await query(`show ${name}`))[0])
    await expect.poll(shown).toEqual({ [name]: value })
  }

  /** Opens and closes the database, and returns the logged warnings. */
  const warningsAtOpening = async () => {
    const logged = await logOf(async (log) => {
      await using stack = new AsyncDisposableStack()
      const opened = await openDatabase(readConfig(database.env).config, log, stack)
      // `openDatabase` does not wait for its autovacuum check. Without this statement, the database could close before the
      // check starts.
      await opened.database.query('select 1')
    })
    return logged.filter(({ level }) => level === 'warn')
  }

  beforeAll(async () => {
    postgres = await startPrivatePostgres()
    const { url } = postgres
    database = { env: { DATABASE_URL: url, FLOWPOST_CAPTURE: 'missing' }, url, dataDir: '', remove: async () => {} }
    await (await startTestServer({ database })).stop()
  })
  beforeEach(async () => {
    await configure('autovacuum', 'on')
    await configure('track_counts', 'on')
  })
  afterAll(() => postgres?.[Symbol.asyncDispose]())

  it('logs no warning while it is on', async () => {
    expect(await warningsAtOpening()).toEqual([])
  })

  it.each([
    ['autovacuum', 'autovacuum is off.'],
    ['track_counts', 'track_counts is off, which disables autovacuum.'],
  ])('warns once with a remedy when %s is off', async (name, problem) => {
    await configure(name, 'off')
    const logged = await warningsAtOpening()
    expect(logged).toMatchObject([{ level: 'warn', msg: expect.stringContaining(problem) }])
    expect(logged[0]?.msg).toContain(`set ${name} = on in postgresql.conf (docs/operations.md)`)
  })

  it('warns about Flowpost tables that are excluded from autovacuum, and ignores other tables', async () => {
    const excluded = ['deliveries', 'delivery_jobs']
    await run(...excluded.map((table) => `alter table ${table} set (autovacuum_enabled = off)`))
    await run('create role other', 'create table others (id int) with (autovacuum_enabled = off)', 'alter table others owner to other')
    const msg = expect.stringContaining('autovacuum_enabled is false for public.deliveries, public.delivery_jobs.')
    expect(await warningsAtOpening()).toMatchObject([{ level: 'warn', msg }])
    await run(...excluded.map((table) => `alter table ${table} reset (autovacuum_enabled)`))
    expect(await warningsAtOpening()).toEqual([])
  })

  it('warns at the start of a server without stopping it, but not when a command runs', async () => {
    await configure('autovacuum', 'off')
    await using server = await startTestServer({ database })
    await expect.poll(() => server.logged.filter((line) => line.includes('autovacuum is off'))).toHaveLength(1)
    expect((await server.request('GET', '/readyz')).status).toBe(200)
    const command = await runCommand(keysProgram, ['list', '--user', 'alice'], database.env)
    expect(command.code).toBe(0)
    expect(command.out + command.err).not.toContain('autovacuum')
  })
})
