import { Client } from 'pg'
import { openEmbedded } from '../../src/database/embedded.ts'
import { entities } from '../../src/entities.ts'
import type { TestDatabase } from './test-database.ts'

/** Runs a statement directly on a test's database, without the server. */
export type DirectQuery = <Row extends object>(text: string, values?: readonly unknown[]) => Promise<Row[]>

/**
 * Opens a test's database, calls `work` and closes the database. Stop the server first if the database is embedded, because
 * only one process can open it.
 */
export const onDatabase = async <T>(database: TestDatabase, work: (query: DirectQuery) => Promise<T>): Promise<T> => {
  if (database.url === undefined) {
    const embedded = await openEmbedded({ entities, dataDir: database.dataDir, startThread: database.startThread })
    try {
      return await work(embedded.query)
    } finally {
      await embedded.close()
    }
  }
  const client = new Client({ connectionString: database.url })
  await client.connect()
  try {
    return await work(
      async <Row extends object>(text: string, values: readonly unknown[] = []) => (await client.query<Row>(text, [...values])).rows,
    )
  } finally {
    await client.end()
  }
}

/** Returns every row of every table as text that begins with the table name. */
export const dump = (database: TestDatabase): Promise<string[]> =>
  onDatabase(database, async (query) => {
    const tables = await query<{ name: string }>(
      `select format('%I.%I', table_schema, table_name) as name from information_schema.tables
       where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`,
    )
    const rows: string[] = []
    for (const { name } of tables)
      for (const { row } of await query<{ row: string }>(`select t::text as row from ${name} t`)) rows.push(`${name} ${row}`)
    return rows
  })
