import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, inject, it, vi } from 'vitest'
import type { NamedStatement, Queryable } from '../src/database/database.ts'
import { type EmbeddedDatabase, openEmbedded } from '../src/database/embedded.ts'
import { EmbeddedConnection } from '../src/database/embedded-connection.ts'
import { entities } from '../src/entities.ts'
import { createTestDatabase, type TestDatabase } from './support/test-database.ts'

const embeddedOnly = it.skipIf(inject('postgres'))

let test: TestDatabase
let database: EmbeddedDatabase

beforeAll(async () => {
  if (inject('postgres')) return
  test = await createTestDatabase()
  database = await openEmbedded({ entities, dataDir: test.dataDir })
})

afterAll(async () => {
  await database?.close()
  await test?.remove()
})

type Outcome =
  | { rows: object[] }
  | { message: string; code: unknown; detail: unknown; constraint: unknown; query: unknown; params: unknown }

/** What comes of a statement: its rows, or all that anybody looks at in its error. */
const outcome = async (rows: Promise<object[]>): Promise<Outcome> =>
  rows.then(
    (all) => ({ rows: all }),
    (error) => {
      const { message, code, detail, constraint, query, params } = error
      return { message, code, detail, constraint, query, params }
    },
  )

/** Runs the same without a name and twice under its name, at the first time of which it is prepared. */
const bothWaysOn = async ({ query }: Queryable, name: string, text: string, values: readonly unknown[]) => {
  const unnamed = await outcome(query(text, values))
  for (const time of ['first', 'second'])
    expect(await outcome(query({ name, text }, values)), `${time} time under its name`).toEqual(unnamed)
  return unnamed
}

/** Statements without a name go through PGlite's own `query` here, which says what is right. */
const bothWays = (name: string, text: string, values: readonly unknown[]) => {
  const query = async <Row extends object>(statement: string | NamedStatement, given: readonly unknown[] = []) =>
    typeof statement === 'string'
      ? (await database.connection.query<Row>(statement, [...given])).rows
      : database.query<Row>(statement, given)
  return bothWaysOn({ query }, name, text, values)
}

const anyText = fc.oneof(fc.string(), fc.string({ unit: 'binary' }), fc.constantFrom('', 'NULL', '{}', '"\\', 'infinity'))
const orNull = <Value>(values: fc.Arbitrary<Value>) => fc.option(values, { freq: 8 })
const date = fc.date({ min: new Date('0001-01-01'), max: new Date('9999-12-31') })
const anything = fc.oneof(anyText, fc.integer(), fc.double(), fc.boolean(), fc.uuid(), fc.bigInt(), fc.json(), date)

// Each is given values that belong to it and others, which it mostly refuses.
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

embeddedOnly.each(types)('a value of the type %s comes back from a named statement as from any other', async (type, values) => {
  const text = `select $1::${type} as value, $1::${type} is null as missing, array[$1::${type}] as among`
  // PGlite cannot write an array that is none, and mixes what it has begun of it with the next message.
  const others = type.endsWith('[]') ? anyText : anything
  await fc.assert(
    fc.asyncProperty(fc.oneof({ weight: 4, arbitrary: orNull(values) }, { weight: 1, arbitrary: others }), async (value) => {
      await bothWays(`the-${type}`, text, [value])
    }),
    { numRuns: 100 },
  )
})

embeddedOnly('a named statement fails as any other, and what follows is not touched by it', async () => {
  const id = '01a2004c-8f05-7003-93ec-37e573c820b0'
  const insert = `insert into projects (id, user_id, name, created_at, updated_at) values ($1, $2, 'p', now(), now()) returning id, user_id`
  const [first] = await database.query<{ id: string }>({ name: 'add', text: insert }, [id, 'somebody'])
  expect(first).toEqual({ id, user_id: 'somebody' })

  expect(await bothWays('add', insert, [id, 'somebody'])).toMatchObject({ code: '23505', constraint: 'projects_pkey' })
  expect(await bothWays('divide', 'select 1 / $1::int as part', [0])).toMatchObject({ code: '22012' })
  expect(await bothWays('none', 'select * from nothing', [])).toMatchObject({ code: '42P01' })
  expect(await bothWays('two', 'select 1; select 2', [])).toMatchObject({ code: '42601' })
  expect(await bothWays('yes', 'select $1::boolean as yes', ['perhaps'])).toMatchObject({ message: 'Invalid input for boolean type' })
  await expect(database.query({ name: 'few', text: 'select $1::int + $2::int as sum' }, [1])).rejects.toMatchObject({ code: '08P01' })
  expect(await bothWays('divide', 'select 1 / $1::int as part', [1])).toEqual({ rows: [{ part: 1 }] })
})

embeddedOnly('a named statement gives what a statement without rows, with columns of one name or with many rows gives', async () => {
  expect(await bothWays('no-rows', 'select 1 as one where false', [])).toEqual({ rows: [] })
  expect(await bothWays('no-columns', 'update projects set name = name where id = any($1::uuid[])', [[]])).toEqual({ rows: [] })
  expect(await bothWays('same', 'select 1 as a, 2 as a', [])).toEqual({ rows: [{ a: 2 }] })
  const many = await bothWays('many', `select n, repeat('ü', n) as text from generate_series(1, $1::int) n`, [2_000])
  expect(many).toMatchObject({ rows: { length: 2_000 } })
})

embeddedOnly('a named statement waits for an open transaction, and for none that was undone', async () => {
  const named = { name: 'count-projects', text: 'select count(*)::int as count from projects where user_id = $1' }
  const inserted = `insert into projects (id, user_id, name, created_at, updated_at) values (gen_random_uuid(), $1, gen_random_uuid(), now(), now())`
  const ended: string[] = []
  let waiting: Promise<object[]> | undefined
  await database.transaction(async ({ query }) => {
    await query(inserted, ['waiter'])
    waiting = database.query(named, ['waiter']).finally(() => ended.push('named'))
    await sleep(20)
    await query(inserted, ['waiter'])
    ended.push('transaction')
  })
  expect(await waiting).toEqual([{ count: 2 }])
  expect(ended).toEqual(['transaction', 'named'])

  const undone = database.transaction(async ({ query }) => {
    await query(inserted, ['nobody'])
    await query('select 1 / 0')
  })
  await expect(undone).rejects.toMatchObject({ code: '22012' })
  expect(await database.query(named, ['nobody'])).toEqual([{ count: 0 }])
})

embeddedOnly('a named statement is prepared anew when its name gets another text, and after it was lost', async () => {
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

embeddedOnly('what is told on a channel by a named statement is heard', async () => {
  const heard: string[] = []
  const stop = await database.listen(
    'news',
    (payload) => heard.push(payload),
    () => {},
  )
  await database.query({ name: 'tell', text: 'select pg_notify($1, $2)' }, ['news', 'now'])
  await expect.poll(() => heard).toEqual(['now'])
  await stop()
})

embeddedOnly('a named statement that is known goes into WebAssembly once', async () => {
  const named = { name: 'once', text: 'select $1::int as value' }
  await database.query(named, [1])
  const calls = vi.spyOn(database.connection, 'execProtocolRaw')
  expect(await database.query(named, [2])).toEqual([{ value: 2 }])
  expect(calls).toHaveBeenCalledTimes(1)
})

embeddedOnly('a named statement says that the database is closed as any other does', async () => {
  const own = await createTestDatabase()
  const closed = await openEmbedded({ entities, dataDir: own.dataDir })
  await closed.close()
  expect(await bothWaysOn(closed, 'late', 'select 1', [])).toMatchObject({ message: 'PGlite is closed' })
  await own.remove()
})

const cutShort = 'The embedded database ended before it completed the statement'
// The first message of the answer, `BindComplete`, has five bytes.
embeddedOnly.each([
  ['no answer', 0],
  ['an answer without the end', 5],
])('a statement with %s is rejected', async (_, bytes) => {
  const named = { name: 'cut', text: 'select 1 as value' }
  await database.query(named)
  const { execProtocolRaw } = database.connection
  const answer = vi.spyOn(database.connection, 'execProtocolRaw')
  const cutNext = () =>
    answer.mockImplementationOnce(async (message) => (await execProtocolRaw.call(database.connection, message)).slice(0, bytes))

  cutNext()
  await expect(database.query(named)).rejects.toThrow(cutShort)
  cutNext()
  await expect(database.query('select 1 as value')).rejects.toThrow(cutShort)
  const transaction = database.transaction(async ({ query }) => {
    await query(named)
    cutNext()
  })
  await expect(transaction).rejects.toThrow(cutShort)
  expect(await database.query(named)).toEqual([{ value: 1 }])
  answer.mockRestore()
})

embeddedOnly('a database whose migrations fail is closed', async () => {
  const own = await createTestDatabase()
  const prepared = await openEmbedded({ entities, dataDir: own.dataDir })
  await prepared.query('delete from flowpost_migrations')
  await prepared.close()
  const calls = vi.spyOn(EmbeddedConnection.prototype, 'execProtocolRaw')
  await expect(openEmbedded({ entities, dataDir: own.dataDir })).rejects.toThrow('already exists')
  expect(new Set(calls.mock.contexts.map((connection) => (connection as EmbeddedConnection).closed))).toEqual(new Set([true]))
  calls.mockRestore()
  await own.remove()
})
