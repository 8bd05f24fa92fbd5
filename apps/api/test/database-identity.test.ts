import { randomBytes } from 'node:crypto'
import { cpSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from 'pg'
import { describe, expect, inject, it, vi } from 'vitest'
import { onEmbedded } from '../src/database/embedded.ts'
import { readEmbeddedIdentity, readPostgresIdentity } from '../src/database/identity/database-identity.ts'
import { createIdentityCheck } from '../src/database/postgres/identity-check.ts'
import { createTestDatabase } from './support/test-database.ts'

const connect = async (url: string | undefined) => {
  const client = new Client({ connectionString: url })
  await client.connect()
  const on = { query: async (text: unknown) => (await client.query(text as string)).rows as never }
  return { client, on, [Symbol.asyncDispose]: () => client.end() }
}

describe.skipIf(inject('postgres') === null)('the identity of a database on a server', () => {
  it('has no system identifier if the server hides it', async () => {
    const database = await createTestDatabase()
    const role = `flowpost_test_${randomBytes(4).toString('hex')}`
    try {
      await using session = await connect(database.url)
      const full = await readPostgresIdentity(session.on)
      // Privileges on functions belong to a database, so this does not affect other tests.
      await session.client.query('revoke execute on function pg_control_system() from public')
      await session.client.query(`create role ${role}`)
      await session.client.query(`set role ${role}`)
      expect(full).toEqual({ systemIdentifier: expect.stringMatching(/^\d{15,}$/), databaseId: expect.stringMatching(/^\d+$/) })
      expect(await readPostgresIdentity(session.on)).toEqual({ ...full, systemIdentifier: null })
      await session.client.query(`reset role; drop role ${role}`)
    } finally {
      await database.remove()
    }
  })

  it('is compared on each new connection, and a connection to a different database is rejected', async () => {
    const [one, other] = [await createTestDatabase(), await createTestDatabase()]
    const onReplaced = vi.fn()
    const check = createIdentityCheck(onReplaced)
    try {
      await using first = await connect(one.url)
      await using second = await connect(one.url)
      await using replaced = await connect(other.url)
      await check.check(first.client)
      await check.check(second.client)
      expect(onReplaced).not.toHaveBeenCalled()
      await expect(check.check(replaced.client)).rejects.toThrow('DATABASE_URL leads to a different database')
      expect(onReplaced).toHaveBeenCalledOnce()
    } finally {
      await one.remove()
      await other.remove()
    }
  })
})

describe.skipIf(inject('postgres') !== null)('the identity of an embedded database', () => {
  it('changes when its folder is copied, but not when its folder is moved', async () => {
    const { dataDir, remove } = await createTestDatabase()
    const identityOf = (folder: string) =>
      onEmbedded(folder, (connection) => readEmbeddedIdentity(asQueryable(connection), join(folder, 'db')))
    const asQueryable = (connection: { query: (text: string) => Promise<{ rows: unknown[] }> }) => ({
      query: async (text: unknown) => (await connection.query(text as string)).rows as never,
    })
    const moved = `${dataDir}-moved`
    try {
      const identity = await identityOf(dataDir)
      renameSync(dataDir, moved)
      expect(await identityOf(moved)).toEqual(identity)
      cpSync(moved, dataDir, { recursive: true, preserveTimestamps: true })
      rmSync(moved, { recursive: true })
      const copy = await identityOf(dataDir)
      expect(copy.systemIdentifier).toBe(identity.systemIdentifier)
      expect(copy.databaseId).not.toBe(identity.databaseId)
    } finally {
      rmSync(moved, { recursive: true, force: true })
      await remove()
    }
  })
})
