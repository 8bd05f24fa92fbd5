import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { openTestDatabase } from '../support/open-database.ts'
import { createTestDatabase } from '../support/test-database.ts'
import { startTestServer } from '../support/test-server.ts'
import { crossUserStatements } from './cross-user-statements.ts'
import { normalized, recordStatements } from './record-statements.ts'
import { runEveryOperation, runEveryStep, settings } from './run-everything.ts'
import { createScanInspection } from './unrestricted-scans.ts'

/** The tables that hold users' messages, settings changes and events. */
const tables =
  'notifications|deliveries|attempts|message_bodies|captured_messages|delivery_jobs|recipient_digests|events|event_endpoints|event_attempts|settings_history'
const readsTable = new RegExp(`^(?:with|select|insert|update|delete)\\b.*\\b(?:${tables})\\b`, 'i')

/**
 * Returns each `from`, `join`, `into`, `update` or `using` in the source code that names one of the tables, with the SQL up to
 * the first placeholder.
 */
const sqlInSource = (): string[] => {
  const folder = fileURLToPath(new URL('../../src', import.meta.url))
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  const named = new RegExp(`\\b(?:from|join|into|update|using) (?:${tables})\\b[^\`'$\\n]*`, 'g')
  return files
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && !file.includes('migrations'))
    .flatMap((file) => readFileSync(`${folder}/${file}`, 'utf8').match(named) ?? [])
    .map(normalized)
}

// Checks only the form of statements. `user-isolation.test.ts` tests that the ids in a request belong to its user.
it('restricts every statement on messages to given users or ids, except the declared statements', async () => {
  const recorded = recordStatements()
  // By default, the server gets a database from a pool that tests share. The pool reads whole tables, and the recording would
  // contain these statements.
  await using server = await startTestServer({ ...settings, database: await createTestDatabase() })
  expect(await runEveryOperation(server)).toEqual([])
  await server.stop()
  const database = await openTestDatabase(server.database)
  try {
    await runEveryStep(database)
    const statements = [...recorded].filter((sql) => readsTable.test(sql))
    // A statement that did not run could not be inspected.
    expect.soft(sqlInSource().filter((sql) => !statements.some((statement) => statement.includes(sql)))).toEqual([])

    const inspect = await createScanInspection(database)
    const found: { statement: string; tables: string[] }[] = []
    for (const statement of statements) {
      const unrestricted = await inspect(statement)
      if (unrestricted.length === 0) continue
      const declared = crossUserStatements.find(({ startsWith }) => statement.startsWith(startsWith))
      found.push({ statement: declared?.startsWith ?? statement, tables: unrestricted })
    }
    const byStatement = (one: { statement: string }, other: { statement: string }) => (one.statement < other.statement ? -1 : 1)
    const declared = crossUserStatements.map(({ startsWith, tables }) => ({ statement: startsWith, tables }))
    expect(found.sort(byStatement)).toEqual(declared.sort(byStatement))
  } finally {
    await database.close()
  }
})

it('recognizes statements that could span users', async () => {
  const testDatabase = await createTestDatabase()
  const database = await openTestDatabase(testDatabase)
  try {
    const inspect = await createScanInspection(database)
    const spanning = {
      'select count(*) from deliveries': ['deliveries'],
      'select * from deliveries where status = $1': ['deliveries'],
      'select * from deliveries where user_id <> $1': ['deliveries'],
      'select * from deliveries where user_id = $1 or status = $2': ['deliveries'],
      'select * from captured_messages where ($1::text is null or user_id = $1)': ['captured_messages'],
      'select * from attempts where delivery_id > $1 order by delivery_id': ['attempts'],
      'select * from deliveries d join flows f on f.id = d.flow_id where d.user_id = $1': [],
      'select * from deliveries d join notifications n on n.id = d.notification_id where n.status = $1': ['notifications'],
      'delete from attempts a using deliveries d where a.delivery_id = d.id and d.id = any($1::uuid[])': [],
      'update delivery_jobs set priority = 0 where delivery_id in (select id from deliveries where user_id = $1)': [],
      'update delivery_jobs set priority = 0 where delivery_id not in (select id from deliveries where user_id = $1)': ['delivery_jobs'],
      'with old as materialized (select id from notifications where settled_at < $1) delete from deliveries where notification_id in (select id from old)':
        ['notifications'],
    }
    const found: Record<string, string[]> = {}
    for (const text of Object.keys(spanning)) found[text] = await inspect(text)
    expect(found).toEqual(spanning)
  } finally {
    await database.close()
    await testDatabase.remove()
  }
})
