import { mkdirSync, rmSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
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

/** Returns whether other sessions use the database, such as those of a server that is still running. */
const isInUse = async (connection: ResetConnection): Promise<boolean> => {
  // PostgreSQL ends a session a moment after its client has disconnected.
  for (let attempt = 0; attempt < 20; attempt += 1) {
    const { rows } = await connection.query(
      `select pid from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'`,
    )
    if (rows.length === 0) return false
    await sleep(25)
  }
  return true
}

/** Resets a database for the next test. Returns `false` if it cannot be used again. */
const recycle = async ({ url = '', dataDir }: TestDatabase, initial: DatabaseSnapshot): Promise<boolean> => {
  if (idle.length >= maxIdle) return false
  rmSync(dataDir, { recursive: true, force: true })
  mkdirSync(dataDir)
  return onConnection(url, async (connection) => !(await isInUse(connection)) && resetDatabase(connection, initial))
}

/**
 * Returns a database on PostgreSQL for a single test. `remove` resets it for another test, because creating a database takes
 * longer. If the database is still in use, `remove` drops it.
 */
export const acquirePostgres = async (): Promise<TestDatabase> => {
  const database = idle.pop() ?? (await createTestDatabase())
  snapshot ??= await onConnection(database.url ?? '', takeSnapshot)
  const initial = snapshot
  let isRemoved = false
  return {
    ...database,
    remove: async () => {
      if (isRemoved) return
      isRemoved = true
      if (await recycle(database, initial).catch(() => false)) idle.push(database)
      else await database.remove()
    },
  }
}
