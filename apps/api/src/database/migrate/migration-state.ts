import type { Queryable } from '../database.ts'
import { DatabaseStartupError } from '../until-available.ts'
import type { Migration } from './migration.ts'
import { requireUtf8 } from './usable-database.ts'

/**
 * The names of two tables. `applied` contains the applied migrations. `window` contains the required migration: a release
 * without this migration cannot use the database.
 */
export const migrationTables = { applied: 'flowpost_migrations', window: 'flowpost_compatibility' } as const

/** A database's migrations, compared with this process's migrations. */
export interface MigrationState {
  /** The names of this process's migrations that were applied. */
  readonly applied: readonly string[]
  readonly pending: readonly Migration[]
  /** The names of applied migrations that this process does not know, because a later release has migrated the database. */
  readonly newer: readonly string[]
  /** The release that last migrated the database; `undefined` if none is stored. */
  readonly migratedBy: string | undefined
  /** The reason why this process must not run on the database; `undefined` if it may. */
  readonly incompatibility: string | undefined
}

interface Window {
  readonly required_migration: string
  readonly migrated_by: string
}

const existing = `select to_regclass('${migrationTables.applied}') is not null as applied, to_regclass('${migrationTables.window}') is not null as window,
  current_setting('server_encoding') as encoding`

/**
 * Reads a database's migration state. The database may be empty.
 * @throws DatabaseStartupError when a database without migrations has an encoding other than UTF8.
 */
export const readMigrationState = async (
  database: Queryable,
  migrations: readonly Migration[],
  release: string,
): Promise<MigrationState> => {
  const [exists] = await database.query<{ applied: boolean; window: boolean; encoding: string }>(existing)
  if (exists?.applied === false) requireUtf8(exists.encoding)
  const rows = exists?.applied ? await database.query<{ name: string }>(`select name from ${migrationTables.applied} order by id`) : []
  const [window] = exists?.window
    ? await database.query<Window>(`select required_migration, migrated_by from ${migrationTables.window}`)
    : []
  const known = new Set(migrations.map(({ name }) => name))
  const applied = new Set(rows.map(({ name }) => name))
  const newer = [...applied].filter((name) => !known.has(name))
  const isCompatible = window === undefined ? newer.length === 0 : known.has(window.required_migration)
  return {
    applied: [...applied].filter((name) => known.has(name)),
    pending: migrations.filter(({ name }) => !applied.has(name)),
    newer,
    migratedBy: window?.migrated_by,
    incompatibility: isCompatible ? undefined : describeIncompatibility(migrations, release, newer, window),
  }
}

const describeIncompatibility = (
  migrations: readonly Migration[],
  release: string,
  newer: readonly string[],
  window: Window | undefined,
): string =>
  `A later release${window ? ` (Flowpost ${window.migrated_by})` : ''} has migrated the database. ` +
  `The database now requires a release that contains the migration ${window?.required_migration ?? newer.at(-1)}. ` +
  `This release (Flowpost ${release}) contains the migrations up to ${migrations.at(-1)?.name}. ` +
  'Start a release that contains the required migration, or restore a backup from before the upgrade (docs/guides/upgrading.md).'

/** Throws a `DatabaseStartupError` if this process must not run on the database. */
export const requireCompatible = ({ incompatibility }: MigrationState): void => {
  if (incompatibility !== undefined) throw new DatabaseStartupError(incompatibility)
}
