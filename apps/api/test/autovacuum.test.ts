import { Writable } from 'node:stream'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { readConfig } from '../src/config/config.ts'
import { warnWithoutAutovacuum } from '../src/database/autovacuum.ts'
import { createLog } from '../src/log.ts'
import { openDatabase } from '../src/open-database.ts'
import { onDatabase } from './direct-database.ts'
import { type PrivatePostgres, postgresBinaries, startPrivatePostgres } from './private-postgres.ts'
import { runCommand } from './run-command.ts'
import type { TestDatabase } from './test-database.ts'
import { startTestServer } from './test-server.ts'

const heardBy = async (work: (log: ReturnType<typeof createLog>) => Promise<void>): Promise<{ level: string; msg: string }[]> => {
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

it('a server that cannot be asked about autovacuum is not warned of, nor kept from starting', async () => {
  const away = { query: () => Promise.reject(new Error('The server is away.')) }
  const heard = await heardBy((log) => warnWithoutAutovacuum(away, log))
  expect(heard).toMatchObject([{ level: 'debug', err: { message: 'The server is away.' } }])
})

describe.skipIf(postgresBinaries() === undefined)('autovacuum (needs the PostgreSQL programs of this machine)', () => {
  let postgres: PrivatePostgres
  let database: TestDatabase

  const run = (...statements: string[]) =>
    onDatabase(database, async (query) => {
      for (const statement of statements) await query(statement)
    })

  /** Changes the configuration of the server, and waits until new sessions have it. */
  const configure = async (name: string, value: 'on' | 'off') => {
    await run(`alter system set ${name} = ${value}`, 'select pg_reload_conf()')
    const shown = () => onDatabase(database, async (query) => (await query(`show ${name}`))[0])
    await expect.poll(shown).toEqual({ [name]: value })
  }

  /** What is warned of from the time that a server opens its database until it has closed it. */
  const heardAtOpening = async () => {
    const heard = await heardBy(async (log) => {
      await using stack = new AsyncDisposableStack()
      const opened = await openDatabase(readConfig(database.env).config, log, stack)
      // What was asked before has been sent then, and closing waits for its answer.
      await opened.database.query('select 1')
    })
    return heard.filter(({ level }) => level === 'warn')
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

  it('is not spoken of while it is on', async () => {
    expect(await heardAtOpening()).toEqual([])
  })

  it.each([
    ['autovacuum', 'autovacuum is off.'],
    ['track_counts', 'track_counts is off, without which autovacuum does nothing.'],
  ])('is missed once when %s is off, with what to do', async (name, wrong) => {
    await configure(name, 'off')
    const heard = await heardAtOpening()
    expect(heard).toMatchObject([{ level: 'warn', msg: expect.stringContaining(wrong) }])
    expect(heard[0]?.msg).toContain(`set ${name} = on in postgresql.conf (docs/operations.md)`)
  })

  it('is missed for the tables of Flowpost that are left out, and for no others', async () => {
    const left = ['deliveries', 'delivery_jobs']
    await run(...left.map((table) => `alter table ${table} set (autovacuum_enabled = off)`))
    await run('create role other', 'create table others (id int) with (autovacuum_enabled = off)', 'alter table others owner to other')
    const msg = expect.stringContaining('autovacuum_enabled is false for public.deliveries, public.delivery_jobs.')
    expect(await heardAtOpening()).toMatchObject([{ level: 'warn', msg }])
    await run(...left.map((table) => `alter table ${table} reset (autovacuum_enabled)`))
    expect(await heardAtOpening()).toEqual([])
  })

  it('is missed by a server that starts, which serves all the same, and not by a command beside it', async () => {
    await configure('autovacuum', 'off')
    await using server = await startTestServer({ database })
    await expect.poll(() => server.logged.filter((line) => line.includes('autovacuum is off'))).toHaveLength(1)
    expect((await server.request('GET', '/readyz')).status).toBe(200)
    const command = await runCommand('keys.js', ['list', '--user', 'alice'], database.env)
    expect(command.code).toBe(0)
    expect(command.out + command.err).not.toContain('autovacuum')
  })
})
