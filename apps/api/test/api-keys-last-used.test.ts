import { pino } from 'pino'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createLastUsed } from '../src/auth/last-used.ts'
import { type Database, textOf } from '../src/database/database.ts'
import { insertKey } from '../src/features/api-keys/insert-key.ts'
import { createKey } from './support/api-keys.ts'
import { openTestDatabase } from './support/open-database.ts'
import { acquireDatabase } from './support/pooled-database.ts'
import { startTestServer } from './support/test-server.ts'

const log = pino({ level: 'silent' })

afterEach(() => vi.useRealTimers())

const createDatabase = async () => {
  const testDatabase = await acquireDatabase()
  const database = await openTestDatabase(testDatabase)
  return {
    database,
    [Symbol.asyncDispose]: async () => {
      await database.close()
      await testDatabase.remove()
    },
  }
}

const insertOrdinaryKey = (database: Database, name: string) =>
  database.unitOfWork(async (transaction) => {
    const key = {
      userId: 'alice',
      name,
      scopes: [],
      mode: 'live',
      projectId: null,
      parentId: null,
      rootId: null,
      expiresAt: null,
      bootstrap: false,
    } as const
    return (await insertKey(transaction, new Date(), key)).row.id
  })

/** Returns a database that records its statements. */
const recordStatements = (database: Database) => {
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

describe('last_used_at of API keys', () => {
  it('is written with one statement for all keys, not with one per use', async () => {
    await using fixture = await createDatabase()
    const [a, b] = [await insertOrdinaryKey(fixture.database, 'a'), await insertOrdinaryKey(fixture.database, 'b')]
    await insertOrdinaryKey(fixture.database, 'c')
    const { statements, database } = recordStatements(fixture.database)
    let now = new Date('2026-11-21T10:00:00.000Z')
    const lastUsed = createLastUsed({ database, log, clock: { now: () => now } })
    for (let use = 0; use < 1000; use += 1) lastUsed.touch(a)
    now = new Date('2026-11-21T10:00:07.123Z')
    lastUsed.touch(b)
    expect(statements).toHaveLength(0)
    await lastUsed.flush()
    await lastUsed.flush()

    expect(statements).toHaveLength(1)
    expect(await lastUsedIn(fixture.database)).toEqual({ a: '2026-11-21T10:00:00.000Z', b: '2026-11-21T10:00:07.123Z', c: null })
  })

  it('is written every minute, and never replaced by an earlier time', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    await using fixture = await createDatabase()
    const a = await insertOrdinaryKey(fixture.database, 'a')
    const createAt = (time: string) => createLastUsed({ database: fixture.database, log, clock: { now: () => new Date(time) } })
    const later = createAt('2026-11-21T10:00:30.000Z')
    const earlier = createAt('2026-11-21T10:00:10.000Z')
    for (const lastUsed of [later, earlier]) {
      lastUsed.start()
      lastUsed.touch(a)
    }
    vi.advanceTimersByTime(59_999)
    expect(await lastUsedIn(fixture.database)).toEqual({ a: null })
    vi.advanceTimersByTime(1)
    await vi.waitFor(async () => expect(await lastUsedIn(fixture.database)).toEqual({ a: '2026-11-21T10:00:30.000Z' }))
    earlier.touch(a)
    await earlier.stop()
    await later.stop()

    expect(await lastUsedIn(fixture.database)).toEqual({ a: '2026-11-21T10:00:30.000Z' })
  })

  it('is written after an earlier write has failed, with the time of the latest use', async () => {
    await using fixture = await createDatabase()
    const a = await insertOrdinaryKey(fixture.database, 'a')
    let isUnreachable = true
    let now = new Date('2026-11-21T10:00:00.000Z')
    const query: Database['query'] = (text, values) =>
      isUnreachable ? Promise.reject(new Error('unreachable')) : fixture.database.query(text, values)
    const lastUsed = createLastUsed({ database: { query }, log, clock: { now: () => now } })
    lastUsed.touch(a)
    const failedFlush = lastUsed.flush()
    now = new Date('2026-11-21T10:00:01.000Z')
    lastUsed.touch(a)
    await expect(failedFlush).rejects.toThrow('unreachable')
    isUnreachable = false
    await lastUsed.flush()

    expect(await lastUsedIn(fixture.database)).toEqual({ a: '2026-11-21T10:00:01.000Z' })
  })

  it('is in the list after a restart, and null for unused keys', async () => {
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

  it('does not change when a revoked key is used', async () => {
    await using server = await startTestServer()
    const { key, id } = await createKey(server, { name: 'revoked' })
    await server.request('DELETE', `/v1/settings/api-keys/${id}`)
    await server.request('GET', '/v1/settings/projects', { key })
    await server.stop()
    const database = await openTestDatabase(server.database)
    const lastUsed = await lastUsedIn(database)
    await database.close()

    expect(lastUsed['revoked']).toBeNull()
  })
})
