import { pino } from 'pino'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createLastUsed } from '../src/auth/last-used.ts'
import { type Database, textOf } from '../src/database/database.ts'
import { openEmbedded } from '../src/database/embedded.ts'
import { openPostgres } from '../src/database/postgres.ts'
import { entities } from '../src/entities.ts'
import { insertKey } from '../src/features/api-keys/insert-key.ts'
import { createKey } from './support/api-keys.ts'
import { createTestDatabase } from './support/test-database.ts'
import { startTestServer, type TestServer } from './support/test-server.ts'

const log = pino({ level: 'silent' })

afterEach(() => vi.useRealTimers())

const openTestDatabase = async () => {
  const own = await createTestDatabase()
  const { url, dataDir } = own
  const database: Database =
    url === undefined ? await openEmbedded({ entities, dataDir }) : await openPostgres({ entities, url, poolSize: 2, log })
  return {
    database,
    [Symbol.asyncDispose]: async () => {
      await database.close()
      await own.remove()
    },
  }
}

const insertOrdinary = (database: Database, name: string) =>
  database.unitOfWork(async (transaction) => {
    const key = { userId: 'alice', name, scopes: [], projectId: null, parentId: null, rootId: null, expiresAt: null, bootstrap: false }
    return (await insertKey(transaction, new Date(), key)).row.id
  })

/** Counts the statements that go to a database. */
const counting = (database: Database) => {
  const statements: string[] = []
  const query: Database['query'] = (statement, values) => {
    statements.push(textOf(statement))
    return database.query(statement, values)
  }
  return { statements, database: { query } }
}

const lastUsedIn = async (database: Database) => {
  const rows = await database.query<{ name: string; last_used_at: string | null }>('select name, last_used_at from api_keys order by name')
  return Object.fromEntries(rows.map(({ name, last_used_at }) => [name, last_used_at && new Date(last_used_at).toISOString()]))
}

describe('when keys were last used', () => {
  it('costs no statement for a use, and one for all of them when it is written', async () => {
    await using own = await openTestDatabase()
    const [a, b] = [await insertOrdinary(own.database, 'a'), await insertOrdinary(own.database, 'b')]
    await insertOrdinary(own.database, 'c')
    const { statements, database } = counting(own.database)
    let now = new Date('2026-11-21T10:00:00.000Z')
    const lastUsed = createLastUsed({ database, log, clock: { now: () => now } })
    for (let use = 0; use < 1000; use += 1) lastUsed.touch(a)
    now = new Date('2026-11-21T10:00:07.123Z')
    lastUsed.touch(b)
    expect(statements).toHaveLength(0)
    await lastUsed.flush()
    await lastUsed.flush()

    expect(statements).toHaveLength(1)
    expect(await lastUsedIn(own.database)).toEqual({ a: '2026-11-21T10:00:00.000Z', b: '2026-11-21T10:00:07.123Z', c: null })
  })

  it('is written every minute, and never turned back by a process that is behind', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    await using own = await openTestDatabase()
    const a = await insertOrdinary(own.database, 'a')
    const at = (time: string) => createLastUsed({ database: own.database, log, clock: { now: () => new Date(time) } })
    const ahead = at('2026-11-21T10:00:30.000Z')
    const behind = at('2026-11-21T10:00:10.000Z')
    for (const each of [ahead, behind]) {
      each.start()
      each.touch(a)
    }
    vi.advanceTimersByTime(59_999)
    expect(await lastUsedIn(own.database)).toEqual({ a: null })
    vi.advanceTimersByTime(1)
    await vi.waitFor(async () => expect(await lastUsedIn(own.database)).toEqual({ a: '2026-11-21T10:00:30.000Z' }))
    behind.touch(a)
    await behind.stop()
    await ahead.stop()

    expect(await lastUsedIn(own.database)).toEqual({ a: '2026-11-21T10:00:30.000Z' })
  })

  it('stays remembered when it cannot be written, later uses first', async () => {
    await using own = await openTestDatabase()
    const a = await insertOrdinary(own.database, 'a')
    let broken = true
    let now = new Date('2026-11-21T10:00:00.000Z')
    const query: Database['query'] = (text, values) => (broken ? Promise.reject(new Error('away')) : own.database.query(text, values))
    const lastUsed = createLastUsed({ database: { query }, log, clock: { now: () => now } })
    lastUsed.touch(a)
    const failing = lastUsed.flush()
    now = new Date('2026-11-21T10:00:01.000Z')
    lastUsed.touch(a)
    await expect(failing).rejects.toThrow('away')
    broken = false
    await lastUsed.flush()

    expect(await lastUsedIn(own.database)).toEqual({ a: '2026-11-21T10:00:01.000Z' })
  })

  it('is shown by the list after a shutdown, for the keys that were used alone', async () => {
    const now = new Date('2026-11-21T10:00:00.000Z')
    await using server = await startTestServer({ clock: { now: () => now } })
    const used = await createKey(server, { name: 'used' })
    const unused = await createKey(server, { name: 'unused' })
    await server.request('GET', '/v1/settings/projects', { key: used.key })
    await server.stop()
    await using next = await server.restart()
    const { json } = await next.request('GET', '/v1/settings/api-keys')
    const lastUsedOf = (id: string) => json.data.find((key: { id: string }) => key.id === id).last_used_at

    expect(lastUsedOf(used.id)).toBe(now.toISOString())
    expect(lastUsedOf(unused.id)).toBeNull()
  })

  it('is not told by a credential that is refused', async () => {
    await using server = await startTestServer()
    const { key, id } = await createKey(server, { name: 'revoked' })
    await server.request('DELETE', `/v1/settings/api-keys/${id}`)
    await server.request('GET', '/v1/settings/projects', { key })
    await server.stop()
    await using next = await reopened(server)

    expect((await lastUsedIn(next.database))['revoked']).toBeNull()
  })
})

const reopened = async (server: TestServer) => {
  const { url, dataDir } = server.database
  const database: Database =
    url === undefined ? await openEmbedded({ entities, dataDir }) : await openPostgres({ entities, url, poolSize: 2, log })
  return { database, [Symbol.asyncDispose]: () => database.close() }
}
