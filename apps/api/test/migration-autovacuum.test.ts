import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Migration } from '../src/database/migrate/migration.ts'
import { runMigrations } from '../src/database/migrate/run-migrations.ts'
import { type PrivatePostgres, postgresBinaries, startPrivatePostgres } from './support/private-postgres.ts'

const addColumn: Migration = { name: '1-add', statements: ['alter table messages add column note text null'] }

describe.skipIf(postgresBinaries() === undefined)('a migration during an autovacuum (needs the PostgreSQL binaries)', () => {
  let postgres: PrivatePostgres
  let session: Client

  beforeAll(async () => {
    postgres = await startPrivatePostgres()
    session = new Client({ connectionString: postgres.url })
    await session.connect()
    await session.query('create table messages (id bigint primary key, text text not null)')
    // An autovacuum worker that sleeps 100 ms after each page keeps its lock for minutes.
    await session.query(`alter table messages set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1,
      autovacuum_vacuum_cost_delay = 100, autovacuum_vacuum_cost_limit = 1)`)
    await session.query(`insert into messages select n, repeat('x', 500) from generate_series(1, 20000) n`)
    await session.query(`update messages set text = 'y'`)
    await session.query('alter system set autovacuum_naptime = 1')
    await session.query('select pg_reload_conf()')
  })
  afterAll(async () => {
    await session?.end()
    await postgres?.[Symbol.asyncDispose]()
  })

  it('cancels the autovacuum, and no message waits a second for a lock', async () => {
    const vacuums = async () => (await session.query('select 1 from pg_stat_progress_vacuum')).rowCount
    await expect.poll(vacuums, { timeout: 20_000, interval: 100 }).toBe(1)
    const sender = new Client({ connectionString: postgres.url })
    await sender.connect()
    await sender.query('set lock_timeout = 1000')
    const attempts: object[] = []
    const query = async <Row extends object>(statement: unknown, values: readonly unknown[] = []) =>
      (await session.query<Row>(String(statement), [...values])).rows
    let migrated = false
    const migration = runMigrations(
      { query },
      { migrations: [addColumn], pending: [addColumn], release: '1.0.0', log: { warn: (fields) => void attempts.push(fields) } },
    ).finally(() => {
      migrated = true
    })

    for (let id = 100_000; !migrated; id += 1) await sender.query(`insert into messages (id, text) values ($1, 'z')`, [id])
    await sender.end()
    await migration
    expect(attempts).toEqual([])
  })
})
