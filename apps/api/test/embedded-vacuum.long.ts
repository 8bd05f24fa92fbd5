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
const [idle, busy] = [0, 1]

const insert = `insert into projects (id, user_id, name, created_at, updated_at)
  select gen_random_uuid(), 'user', 'project ' || n, now(), now() from generate_series($1::int, $2::int) n`

/** Returns the planner's estimate of the number of rows in `projects`. */
const estimatedRows = async ({ query }: Queryable): Promise<number | undefined> =>
  (await query<{ rows: number }>(`select reltuples::int as rows from pg_class where relname = 'projects'`))[0]?.rows

const openDatabase = async () => {
  const testDatabase = await createTestDatabase()
  const database = await openEmbedded({ entities, dataDir: testDatabase.dataDir })
  const vacuum = async (utilization: number) => {
    // Without this, the changes would be counted up to a second later.
    await database.query('select pg_stat_force_next_flush()')
    await createVacuum({ database, log: pino({ level: 'silent' }), busy: () => utilization }).run()
  }
  const pages = async () =>
    (await database.query<{ pages: number }>(`select (pg_relation_size('projects') / 8192)::int as pages`))[0]?.pages
  return {
    ...database,
    vacuum,
    pages,
    [Symbol.asyncDispose]: async () => {
      await database.close()
      await testDatabase.remove()
    },
  }
}

embeddedOnly('collects statistics on tables that grew before the server started', async () => {
  await using server = await startTestServer({ database: await createTestDatabase() })
  await server.stop()
  await onDatabase(server.database, (query) => query(insert, [1, 5_000]))
  expect(await onDatabase(server.database, (query) => estimatedRows({ query }))).not.toBe(5_000)

  const restarted = await server.restart({ env: { LOG_LEVEL: 'debug' } })
  await expect.poll(() => restarted.logged.join(), { timeout: 60_000 }).toContain('public.projects')
  await restarted.stop()
  expect(await onDatabase(server.database, (query) => estimatedRows({ query }))).toBe(5_000)
})

embeddedOnly('reuses the space of removed row versions', async () => {
  await using database = await openDatabase()
  await database.query(insert, [1, 5_000])
  await database.vacuum(idle)
  for (let round = 0; round < 5; round += 1) {
    await database.query('update projects set updated_at = now()')
    await database.vacuum(idle)
  }
  const before = await database.pages()
  for (let round = 0; round < 5; round += 1) {
    await database.query('update projects set updated_at = now()')
    await database.vacuum(idle)
  }
  expect(await database.pages()).toBe(before)
})

embeddedOnly('skips a table with few changes, and needs more changes while the server is busy', async () => {
  await using database = await openDatabase()
  await database.query(insert, [1, 10_000])
  await database.vacuum(busy)
  expect(await estimatedRows(database)).toBe(10_000)
  await database.query(insert, [10_001, 10_400])
  await database.vacuum(idle)
  expect(await estimatedRows(database)).toBe(10_000)
  await database.query(insert, [10_401, 12_000])
  await database.vacuum(busy)
  expect(await estimatedRows(database)).toBe(10_000)
  await database.vacuum(idle)
  expect(await estimatedRows(database)).toBe(12_000)
  await database.query(insert, [12_001, 20_000])
  await database.vacuum(busy)
  expect(await estimatedRows(database)).toBe(20_000)
})
