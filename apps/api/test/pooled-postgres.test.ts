import { Client } from 'pg'
import { expect, inject, it } from 'vitest'
import { onDatabase } from './support/direct-database.ts'
import { acquireDatabase } from './support/pooled-database.ts'

const postgresOnly = it.skipIf(!inject('postgres'))

postgresOnly('a database of the pool is emptied and used again', async () => {
  const first = await acquireDatabase()
  await onDatabase(first, (query) =>
    query(`insert into projects (id, user_id, name, created_at, updated_at)
    values (gen_random_uuid(), 'alice', 'p', now(), now())`),
  )
  await first.remove()
  const second = await acquireDatabase()
  expect(second.url).toBe(first.url)
  expect(await onDatabase(second, (query) => query('select name from projects'))).toEqual([])
  await second.remove()
})

postgresOnly.each([
  [
    'is still in use',
    async (url: string) => {
      const client = new Client({ connectionString: url })
      // The database is dropped while the client is connected.
      client.on('error', () => {})
      await client.connect()
    },
  ],
  [
    'has a changed schema',
    async (url: string) => {
      const client = new Client({ connectionString: url })
      await client.connect()
      await client.query('alter table projects add column more text')
      await client.end()
    },
  ],
])('a database that %s is not used again', async (_, change) => {
  const first = await acquireDatabase()
  await change(first.url ?? '')
  await first.remove()
  const second = await acquireDatabase()
  expect(second.url).not.toBe(first.url)
  await second.remove()
})
