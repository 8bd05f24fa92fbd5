import { textOf } from '../../src/database/database.ts'
import { ensureMigrated } from '../../src/database/migrate/ensure-migrated.ts'
import { migrations } from '../../src/database/migrations/index.ts'
import type { DirectQuery } from './direct-database.ts'

/** Deletes everything in a database, because a test's database already has the latest schema. */
export const emptyDatabase = async (query: DirectQuery): Promise<void> => {
  await query('drop schema public cascade')
  await query('create schema public')
}

/** Applies the pending migrations up to and including `last`. @param last The name of a migration. @default the latest one */
export const migrateDatabase = (query: DirectQuery, last = migrations.at(-1)?.name): Promise<void> =>
  ensureMigrated(
    { query: (statement, values) => query(textOf(statement), values) },
    {
      migrations: migrations.slice(0, migrations.findIndex(({ name }) => name === last) + 1),
      log: { warn: () => {} },
      lock: async () => {},
      waitMs: 0,
    },
  )
