import { afterAll, beforeAll, expect, inject, it, vi } from 'vitest'
import { type EmbeddedDatabase, openEmbedded } from '../src/database/embedded.ts'
import { EmbeddedConnection } from '../src/database/embedded-connection.ts'
import { entities } from '../src/entities.ts'
import { createTestDatabase, type TestDatabase } from './support/test-database.ts'

const embeddedOnly = it.skipIf(inject('postgres'))

let testDatabase: TestDatabase
let database: EmbeddedDatabase

beforeAll(async () => {
  if (inject('postgres')) return
  testDatabase = await createTestDatabase()
  database = await openEmbedded({ entities, dataDir: testDatabase.dataDir })
})

afterAll(async () => {
  await database?.close()
  await testDatabase?.remove()
})

embeddedOnly('runs a prepared statement with one call into WebAssembly', async () => {
  const named = { name: 'once', text: 'select $1::int as value' }
  await database.query(named, [1])
  const calls = vi.spyOn(database.connection, 'execProtocolRaw')
  expect(await database.query(named, [2])).toEqual([{ value: 2 }])
  expect(calls).toHaveBeenCalledTimes(1)
})

embeddedOnly("runs PGlite's own statements with two calls into WebAssembly, and its transactions with two more", async () => {
  const calls = vi.spyOn(database.connection, 'execProtocolRaw')
  expect((await database.connection.query('select $1::int as value', [2])).rows).toEqual([{ value: 2 }])
  expect(calls).toHaveBeenCalledTimes(2)
  await database.connection.transaction(({ query }) => query('select 1'))
  expect(calls).toHaveBeenCalledTimes(6)
  await expect(database.connection.query('select $1::int', ['x'])).rejects.toThrow('invalid input syntax')
  await expect(database.connection.query('select from nowhere')).rejects.toThrow('does not exist')
  expect((await database.connection.query('select 3 as value')).rows).toEqual([{ value: 3 }])
})

const cutShort = 'The embedded database stopped: it did not complete a statement.'

/** Runs `work`, and passes the responses of the connection through `change`. */
const withResponses = async (change: (data: Uint8Array) => Uint8Array, work: () => Promise<unknown>): Promise<void> => {
  const { execProtocolRaw } = EmbeddedConnection.prototype
  const exec = vi
    .spyOn(database.connection, 'execProtocolRaw')
    .mockImplementation(async (message) => change(await execProtocolRaw.call(database.connection, message)))
  await work().finally(() => exec.mockRestore())
}

embeddedOnly.each<[string, () => Promise<unknown>]>([
  ['a named statement', () => database.query({ name: 'cut', text: 'select 1 as value' })],
  ['an unnamed statement', () => database.query('select 1 as value')],
  ["a statement of PGlite's own", () => database.connection.query('select $1::int as value', [1])],
  ['the first statement of a transaction', () => database.transaction(({ query }) => query({ name: 'cut', text: 'select 1 as value' }))],
  ['the end of a transaction', () => database.transaction(({ query }) => query('select 1 as value'))],
])('rejects %s if any part of a response is missing, and abandons the connection', async (_, work) => {
  const abandon = vi.spyOn(database.connection, 'abandon').mockImplementation((error) => error)
  const lengths: number[] = []
  await work()
  await withResponses((data) => {
    lengths.push(data.length)
    return data
  }, work)
  for (const [response, length] of lengths.entries())
    for (let bytes = 0; bytes < length; bytes += 1) {
      let at = 0
      await withResponses(
        (data) => (at++ === response ? data.slice(0, bytes) : data),
        () => expect(work(), `${bytes} of ${length} bytes of response ${response + 1}`).rejects.toThrow(cutShort),
      )
      expect(abandon).toHaveBeenCalledOnce()
      abandon.mockClear()
    }
  abandon.mockRestore()
  expect(await database.query({ name: 'cut', text: 'select 1 as value' })).toEqual([{ value: 1 }])
})

embeddedOnly('reads arrays of the types that Flowpost uses', async () => {
  const uuid = '01a21d20-dbdf-77ec-ad82-d6bbea3584cb'
  const text = `select $1::uuid[] as ids, array['a', null] as texts, array[1, 2] as numbers, array[true] as flags, array['{"a":1}'::jsonb] as json,
    array['2026-11-27T10:00:00Z'::timestamptz] as times`
  const expected = { ids: [uuid], texts: ['a', null], numbers: [1, 2], flags: [true], json: [{ a: 1 }], times: ['2026-11-27 10:00:00+00'] }
  expect((await database.connection.query(text, [[uuid]])).rows).toEqual([expected])
  expect(await database.query(text, [[uuid]])).toEqual([expected])
})
