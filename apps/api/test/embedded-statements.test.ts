import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, inject, it, vi } from 'vitest'
import type { NamedStatement, Queryable } from '../src/database/database.ts'
import { type EmbeddedDatabase, openEmbedded } from '../src/database/embedded.ts'
import { EmbeddedConnection } from '../src/database/embedded-connection.ts'
import { entities } from '../src/entities.ts'
import { createTestDatabase, type TestDatabase } from './support/test-database.ts'

const embeddedOnly = it.skipIf(inject('postgres'))

let sharedTestDatabase: TestDatabase
let database: EmbeddedDatabase

beforeAll(async () => {
  if (inject('postgres')) return
  sharedTestDatabase = await createTestDatabase()
  database = await openEmbedded({ entities, dataDir: sharedTestDatabase.dataDir })
})

afterAll(async () => {
  await database?.close()
  await sharedTestDatabase?.remove()
})

type Outcome =
  | { rows: object[] }
  | { message: string; code: unknown; detail: unknown; constraint: unknown; query: unknown; params: unknown }

/** Returns a statement's rows, or those fields of its error that the server uses. */
const outcome = async (rows: Promise<object[]>): Promise<Outcome> =>
  rows.then(
    (all) => ({ rows: all }),
    (error) => {
      const { message, code, detail, constraint, query, params } = error
      return { message, code, detail, constraint, query, params }
    },
  )

/** Runs a statement once without a name and twice with a name. The first run with a name prepares it. */
const compareOn = async ({ query }: Queryable, name: string, text: string, values: readonly unknown[]) => {
  const unnamed = await outcome(query(text, values))
  for (const time of ['first', 'second'])
    expect(await outcome(query({ name, text }, values)), `${time} time under its name`).toEqual(unnamed)
  return unnamed
}

/** Compares a named statement with PGlite's own `query`. */
const compareWithPglite = (name: string, text: string, values: readonly unknown[]) => {
  const query = async <Row extends object>(statement: string | NamedStatement, given: readonly unknown[] = []) =>
    typeof statement === 'string'
      ? (await database.connection.query<Row>(statement, [...given])).rows
      : database.query<Row>(statement, given)
  return compareOn({ query }, name, text, values)
}

const anyText = fc.oneof(fc.string(), fc.string({ unit: 'binary' }), fc.constantFrom('', 'NULL', '{}', '"\\', 'infinity'))
const orNull = <Value>(values: fc.Arbitrary<Value>) => fc.option(values, { freq: 8 })
const date = fc.date({ min: new Date('0001-01-01'), max: new Date('9999-12-31') })
const anything = fc.oneof(anyText, fc.integer(), fc.double(), fc.boolean(), fc.uuid(), fc.bigInt(), fc.json(), date)

// Each type is tested with its own values and with others, most of which it rejects.
const types: readonly (readonly [type: string, values: fc.Arbitrary<unknown>])[] = [
  ['text', anyText],
  ['uuid', fc.uuid()],
  ['int', fc.integer()],
  ['bigint', fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })],
  ['float8', fc.double()],
  ['boolean', fc.boolean()],
  ['timestamptz', fc.oneof(date, fc.constant('infinity'))],
  ['bytea', fc.uint8Array().map((bytes) => Buffer.from(bytes))],
  ['json', fc.oneof(fc.json(), fc.jsonValue())],
  ['jsonb', fc.oneof(fc.json(), fc.jsonValue())],
  ['text[]', fc.array(orNull(anyText))],
  ['uuid[]', fc.array(fc.uuid())],
  ['int[]', fc.array(orNull(fc.integer()))],
]

embeddedOnly.each(types)('returns the same %s from a named statement as from an unnamed one', async (type, values) => {
  const text = `select $1::${type} as value, $1::${type} is null as missing, array[$1::${type}] as among`
  // For an array parameter, PGlite cannot serialize a number, boolean or object. It then sends the incomplete message with the
  // next one.
  const otherValues = type.endsWith('[]') ? anyText : anything
  await fc.assert(
    fc.asyncProperty(fc.oneof({ weight: 4, arbitrary: orNull(values) }, { weight: 1, arbitrary: otherValues }), async (value) => {
      await compareWithPglite(`the-${type}`, text, [value])
    }),
    { numRuns: 100 },
  )
})

embeddedOnly('returns the same error from a named statement as from an unnamed one, and runs later statements normally', async () => {
  const id = '01a2004c-8f05-7003-93ec-37e573c820b0'
  const insert = `insert into projects (id, user_id, name, created_at, updated_at) values ($1, $2, 'p', now(), now()) returning id, user_id`
  const [first] = await database.query<{ id: string }>({ name: 'add', text: insert }, [id, 'alice'])
  expect(first).toEqual({ id, user_id: 'alice' })

  expect(await compareWithPglite('add', insert, [id, 'alice'])).toMatchObject({ code: '23505', constraint: 'projects_pkey' })
  expect(await compareWithPglite('divide', 'select 1 / $1::int as part', [0])).toMatchObject({ code: '22012' })
  expect(await compareWithPglite('none', 'select * from nothing', [])).toMatchObject({ code: '42P01' })
  expect(await compareWithPglite('two', 'select 1; select 2', [])).toMatchObject({ code: '42601' })
  expect(await compareWithPglite('yes', 'select $1::boolean as yes', ['perhaps'])).toMatchObject({
    message: 'Invalid input for boolean type',
  })
  await expect(database.query({ name: 'few', text: 'select $1::int + $2::int as sum' }, [1])).rejects.toMatchObject({ code: '08P01' })
  expect(await compareWithPglite('divide', 'select 1 / $1::int as part', [1])).toEqual({ rows: [{ part: 1 }] })
})

embeddedOnly('returns the same result from a named as from an unnamed statement with no rows, duplicate columns or many rows', async () => {
  expect(await compareWithPglite('no-rows', 'select 1 as one where false', [])).toEqual({ rows: [] })
  expect(await compareWithPglite('no-columns', 'update projects set name = name where id = any($1::uuid[])', [[]])).toEqual({ rows: [] })
  expect(await compareWithPglite('same', 'select 1 as a, 2 as a', [])).toEqual({ rows: [{ a: 2 }] })
  const many = await compareWithPglite('many', `select n, repeat('ü', n) as text from generate_series(1, $1::int) n`, [2_000])
  expect(many).toMatchObject({ rows: { length: 2_000 } })
})

embeddedOnly('runs a named statement after an open transaction, and after one that was rolled back', async () => {
  const named = { name: 'count-projects', text: 'select count(*)::int as count from projects where user_id = $1' }
  const inserted = `insert into projects (id, user_id, name, created_at, updated_at) values (gen_random_uuid(), $1, gen_random_uuid(), now(), now())`
  const order: string[] = []
  let waiting: Promise<object[]> | undefined
  await database.transaction(async ({ query }) => {
    await query(inserted, ['carol'])
    waiting = database.query(named, ['carol']).finally(() => order.push('named'))
    await sleep(20)
    await query(inserted, ['carol'])
    order.push('transaction')
  })
  expect(await waiting).toEqual([{ count: 2 }])
  expect(order).toEqual(['transaction', 'named'])

  const rolledBack = database.transaction(async ({ query }) => {
    await query(inserted, ['bob'])
    await query('select 1 / 0')
  })
  await expect(rolledBack).rejects.toMatchObject({ code: '22012' })
  expect(await database.query(named, ['bob'])).toEqual([{ count: 0 }])
})

embeddedOnly('prepares a named statement again when its text changes or the database has lost it', async () => {
  expect(await database.query({ name: 'one', text: 'select 1 as value' })).toEqual([{ value: 1 }])
  expect(await database.query({ name: 'one', text: `select $1::text as value` }, ['x'])).toEqual([{ value: 'x' }])

  await database.query('create table changing (id int)')
  await database.query('insert into changing values (1)')
  const all = { name: 'all-changing', text: 'select * from changing' }
  expect(await database.query(all)).toEqual([{ id: 1 }])
  await database.query(`alter table changing add column more text default 'm'`)
  await expect(database.query(all)).rejects.toMatchObject({ code: '0A000' })
  expect(await database.query(all)).toEqual([{ id: 1, more: 'm' }])

  await database.query('deallocate all')
  await expect(database.query(all)).rejects.toMatchObject({ code: '26000' })
  expect(await database.query(all)).toEqual([{ id: 1, more: 'm' }])
})

embeddedOnly('receives a notification that a named statement sends', async () => {
  const received: string[] = []
  const stop = await database.listen(
    'test',
    (payload) => received.push(payload),
    () => {},
  )
  await database.query({ name: 'notify', text: 'select pg_notify($1, $2)' }, ['test', 'now'])
  await expect.poll(() => received).toEqual(['now'])
  await stop()
})

embeddedOnly('returns the same error from a named statement as from an unnamed one when the database is closed', async () => {
  const testDatabase = await createTestDatabase()
  const closed = await openEmbedded({ entities, dataDir: testDatabase.dataDir })
  await closed.close()
  expect(await compareOn(closed, 'late', 'select 1', [])).toMatchObject({ message: 'PGlite is closed' })
  await testDatabase.remove()
})

embeddedOnly.each([
  ['after the database was closed', true],
  ['while the database is closing', false],
])('rejects a unit of work that begins %s', async (_, isClosed) => {
  const testDatabase = await createTestDatabase()
  const closing = await openEmbedded({ entities, dataDir: testDatabase.dataDir })
  const closed = closing.close()
  if (isClosed) await closed
  await expect(closing.unitOfWork(({ query }) => query('select 1'))).rejects.toThrow(/closed/)
  await closed
  await testDatabase.remove()
})

embeddedOnly('closes a database whose migrations fail', async () => {
  const testDatabase = await createTestDatabase()
  const prepared = await openEmbedded({ entities, dataDir: testDatabase.dataDir })
  await prepared.query('delete from flowpost_migrations')
  await prepared.close()
  const calls = vi.spyOn(EmbeddedConnection.prototype, 'execProtocolRaw')
  await expect(openEmbedded({ entities, dataDir: testDatabase.dataDir })).rejects.toThrow('The database already has a table')
  expect(new Set(calls.mock.contexts.map((connection) => (connection as EmbeddedConnection).closed))).toEqual(new Set([true]))
  calls.mockRestore()
  await testDatabase.remove()
})
