import type { EntitySchema, Options } from '@mikro-orm/core'
import { identityTable } from './identity/stored-hold.ts'
import { migrationTables } from './migrate/migration-state.ts'

/** The entities of all features, as listed in `entities.ts`. */
export type Entities = readonly EntitySchema[]

/** The ORM options that both database drivers share. Each driver adds the entities. */
export const ormOptions = {
  forceUtcTimezone: true,
  ensureDatabase: false,
  // These three tables have no entities, so schema comparisons must skip them. The ORM always skips its migrations table, and
  // `skipTables` names the other two.
  migrations: { tableName: migrationTables.applied },
  schemaGenerator: { skipTables: [migrationTables.window, identityTable] },
} satisfies Partial<Options>
