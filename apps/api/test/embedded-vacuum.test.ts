import { pino } from 'pino'
import { expect, inject, it } from 'vitest'
import type { Queryable } from '../src/database/database.ts'
import { openEmbedded } from '../src/database/embedded.ts'
import { createVacuum } from '../src/database/vacuum.ts'
import { entities } from '../src/entities.ts'
import { onDatabase } from './support/direct-database.ts'
import { createTestDatabase } from './support/test-database.ts'
import { startTestServer } from './support/test-server.ts'

const embeddedOnly = it.skipIf(inject('postgres'))
const [atRest, atWork] = [0, 1]

const insert = `insert into projects (id, user_id, name, created_at, updated_at)
  select gen_random_uuid(), 'user', 'project ' || n, now(), now() from generate_series($1::int, $2::int) n`

/** What the planner believes. */
const knownRows = async ({ query }: Queryable): Promise<number | undefined> =>
  (await query<{ rows: number }>(`select reltuples::int as rows from pg_class where relname = 'projects'`))[0]?.rows

const openTables = async () => {
  const test = await createTestDatabase()
  const database = await openEmbedded({ entities, dataDir: test.dataDir })
  const vacuum = async (busy: number) => {
    // What has changed is counted a second later otherwise.
    await database.query('select pg_stat_force_next_flush()')
    await createVacuum({ database, log: pino({ level: 'silent' }), busy: () => busy }).run()
  }
  const pages = async () =>
    (await database.query<{ pages: number }>(`select (pg_relation_size('projects') / 8192)::int as pages`))[0]?.pages
  return {
    ...database,
    vacuum,
    pages,
    [Symbol.asyncDispose]: async () => {
      await database.close()
      await test.remove()
    },
  }
}

embeddedOnly('a server on the embedded database gathers statistics of tables that grew before it was started', async () => {
  await using server = await startTestServer()
  await server.stop()
  await onDatabase(server.database, (query) => query(insert, [1, 5_000]))
  expect(await onDatabase(server.database, (query) => knownRows({ query }))).not.toBe(5_000)

  const again = await server.restart({ env: { LOG_LEVEL: 'debug' } })
  await expect.poll(() => again.logged.join(), { timeout: 20_000 }).toContain('public.projects')
  await again.stop()
  expect(await onDatabase(server.database, (query) => knownRows({ query }))).toBe(5_000)
})

embeddedOnly('the room of rows that are gone is used again', async () => {
  await using database = await openTables()
  await database.query(insert, [1, 5_000])
  await database.vacuum(atRest)
  for (let round = 0; round < 5; round += 1) {
    await database.query('update projects set updated_at = now()')
    await database.vacuum(atRest)
  }
  const before = await database.pages()
  for (let round = 0; round < 5; round += 1) {
    await database.query('update projects set updated_at = now()')
    await database.vacuum(atRest)
  }
  expect(await database.pages()).toBe(before)
})

embeddedOnly('a table that has changed a little is left alone, and a server at work waits longer than one at rest', async () => {
  await using database = await openTables()
  await database.query(insert, [1, 10_000])
  await database.vacuum(atWork)
  expect(await knownRows(database)).toBe(10_000)
  await database.query(insert, [10_001, 10_400])
  await database.vacuum(atRest)
  expect(await knownRows(database)).toBe(10_000)
  await database.query(insert, [10_401, 12_000])
  await database.vacuum(atWork)
  expect(await knownRows(database)).toBe(10_000)
  await database.vacuum(atRest)
  expect(await knownRows(database)).toBe(12_000)
  await database.query(insert, [12_001, 20_000])
  await database.vacuum(atWork)
  expect(await knownRows(database)).toBe(20_000)
})
