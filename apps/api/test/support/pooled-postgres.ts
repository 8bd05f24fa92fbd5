import { rmSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { Client } from 'pg'
import { databaseFolder } from './database-folder.ts'
import { type DatabaseSnapshot, type ResetConnection, resetDatabase, takeSnapshot } from './reset-database.ts'
import { createTestDatabase, type TestDatabase } from './test-database.ts'

// A test seldom uses more databases at the same time.
const maxIdle = 3
const idle: TestDatabase[] = []

// All databases are copies of the same template.
let snapshot: DatabaseSnapshot | undefined

const onConnection = async <T>(url: string, work: (connection: ResetConnection) => Promise<T>): Promise<T> => {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    return await work({ query: (sql) => client.query(sql), exec: (sql) => client.query(sql) })
  } finally {
    await client.end()
  }
}

/** Resets a database for the next test. Returns `false` if it cannot be used again. */
const recycle = async ({ url = '' }: TestDatabase, initial: DatabaseSnapshot): Promise<boolean> =>
  idle.length < maxIdle &&
  onConnection(url, async (connection) => {
    // A test may have left sessions of a process that it killed.
    await connection.exec(
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    )
    return resetDatabase(connection, initial)
  })

/** Returns a database on PostgreSQL for a single test. It is reused after `remove`, because resetting it is faster than creating one. */
export const acquirePostgres = async (): Promise<TestDatabase> => {
  const database = idle.pop() ?? (await createTestDatabase())
  snapshot ??= await onConnection(database.url ?? '', takeSnapshot)
  const initial = snapshot
  const dataDir = await mkdtemp(join(await databaseFolder(), 'flowpost-test-'))
  let isRemoved = false
  return {
    ...database,
    dataDir,
    remove: async () => {
      if (isRemoved) return
      isRemoved = true
      rmSync(dataDir, { recursive: true, force: true })
      if (await recycle(database, initial)) idle.push(database)
      else await database.remove()
    },
  }
}
