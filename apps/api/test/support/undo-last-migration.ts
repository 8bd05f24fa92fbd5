import { migrations } from '../../src/database/migrations/index.ts'
import { onDatabase } from './direct-database.ts'
import type { TestDatabase } from './test-database.ts'

/** The name of the last migration. */
export const lastMigration = migrations.at(-1)?.name ?? ''

// Replace these statements when you add a migration.
const statements = [
  'drop index captured_messages_source_type_delivery_id_index',
  `delete from flowpost_migrations where name = '${lastMigration}'`,
]

/** Makes the last migration pending again. */
export const undoLastMigration = (database: TestDatabase): Promise<void> =>
  onDatabase(database, async (query) => {
    for (const statement of statements) await query(statement)
  })
