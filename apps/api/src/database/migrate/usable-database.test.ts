import { expect, it } from 'vitest'
import type { Queryable } from '../database.ts'
import { migrations } from '../migrations/index.ts'
import { DatabaseStartupError } from '../until-available.ts'
import { ensureMigrated } from './ensure-migrated.ts'

/** Starts on a database with the given encoding and tables. Returns the statements that changed the database. */
const start = async ({ encoding = 'UTF8', tables = [] as string[], migrate = 'auto' as 'auto' | 'off', applied = [] as string[] }) => {
  const changes: string[] = []
  const query: Queryable['query'] = async (statement, values = []) => {
    const text = String(statement)
    if (text.includes('server_encoding')) return [{ applied: applied.length > 0, window: false, encoding }] as never
    if (text.startsWith('select name from flowpost_migrations')) return applied.map((name) => ({ name })) as never
    if (text.includes('limit 1')) return tables.filter((name) => (values[0] as string[]).includes(name)).map((name) => ({ name })) as never
    if (!text.startsWith('select')) changes.push(text)
    return []
  }
  const outcome = await ensureMigrated({ query }, { migrate, lock: async () => {}, log: { warn: () => {} }, waitMs: 0 }).catch(
    (error: unknown) => error,
  )
  return { outcome, changes }
}

it.each(['auto', 'off'] as const)('rejects an encoding other than UTF8 before it changes the database (migrate: %s)', async (migrate) => {
  const { outcome, changes } = await start({ encoding: 'LATIN1', migrate })
  expect(outcome).toBeInstanceOf(DatabaseStartupError)
  expect((outcome as Error).message).toMatch(
    /^The database in DATABASE_URL has the encoding LATIN1, .*`create database flowpost encoding 'UTF8' template template0`/,
  )
  expect(changes).toEqual([])
})

it("rejects a database with another application's table before it changes the database", async () => {
  const { outcome, changes } = await start({ tables: ['orders', 'projects'] })
  expect(outcome).toBeInstanceOf(DatabaseStartupError)
  expect((outcome as Error).message).toMatch(/^The database already has a table "projects", but no migration .* in DATABASE_URL\.$/)
  expect(changes).toEqual([])
})

it('migrates an empty database, one with unrelated tables, and one whose first migrations are applied', async () => {
  const first = migrations[0]?.name ?? ''
  for (const database of [
    {},
    { tables: ['orders'] },
    { tables: ['projects'], applied: [first] },
    { encoding: 'SQL_ASCII', applied: [first] },
  ]) {
    const { outcome, changes } = await start(database)
    expect(outcome).toBeUndefined()
    expect(changes.some((text) => text.startsWith('create table'))).toBe(true)
  }
})
