import type { EntitySchema, Options } from '@mikro-orm/core'
import { identityTable } from './identity/restore-guard.ts'
import { migrationTables } from './migrate/migration-state.ts'

/** The entities of all features, as listed in `entities.ts`. */
export type Entities = readonly EntitySchema[]

/** The options that both database drivers share. The entities are added later. */
export const ormOptions = {
  forceUtcTimezone: true,
  ensureDatabase: false,
  // These tables have no entities. The settings exclude them from comparisons of the schema.
  migrations: { tableName: migrationTables.applied },
  schemaGenerator: { skipTables: [migrationTables.window, identityTable] },
} satisfies Partial<Options>
