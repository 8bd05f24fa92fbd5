import { pino } from 'pino'
import { expect, it } from 'vitest'
import type { Database, Queryable } from '../src/database/database.ts'
import { openEmbedded } from '../src/database/embedded.ts'
import { openPostgres } from '../src/database/postgres.ts'
import { entities } from '../src/entities.ts'
import { createTestDatabase, type TestDatabase } from './support/test-database.ts'

const insert = `insert into projects (id, user_id, name, created_at, updated_at) values (gen_random_uuid(), 'user', $1, now(), now())`

const open = ({ url, dataDir }: TestDatabase): Promise<Database> =>
  url === undefined ? openEmbedded({ entities, dataDir }) : openPostgres({ entities, url, poolSize: 2, log: pino({ level: 'silent' }) })

/** Inserts a project, and catches the error of a later statement. */
const insertAndCatch = async ({ query }: Queryable): Promise<void> => {
  await query(insert, ['inserted'])
  await query('select 1 / 0').catch(() => {})
}

it.each([
  ['transaction', (database: Database) => database.transaction(insertAndCatch)],
  ['unit of work', (database: Database) => database.unitOfWork(insertAndCatch)],
])('rejects a %s that PostgreSQL rolls back instead of committing', async (_, run) => {
  const test = await createTestDatabase()
  const database = await open(test)
  await expect(run(database)).rejects.toThrow('rolled back the transaction instead of committing it')
  expect(await database.query('select name from projects')).toEqual([])
  await database.transaction(({ query }) => query(insert, ['next']))
  expect(await database.query('select name from projects')).toEqual([{ name: 'next' }])
  await database.close()
  await test.remove()
})
