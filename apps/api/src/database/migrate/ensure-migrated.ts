import type { Logger } from 'pino'
import { version } from '../../version.ts'
import type { Queryable } from '../database.ts'
import { migrations as allMigrations } from '../migrations/index.ts'
import type { Migration } from './migration.ts'
import { readMigrationState, requireCompatible } from './migration-state.ts'
import { runMigrations } from './run-migrations.ts'
import { requireNoForeignTables } from './usable-database.ts'
import { waitForMigrations } from './wait-for-migrations.ts'

/** Options for handling migrations when a process opens a database. */
export interface MigrationOptions {
  /** `auto` applies pending migrations; `off` waits until another process has applied them. @default 'auto' */
  readonly migrate?: 'auto' | 'off' | undefined
  /** This process's migrations, in order. Tests pass another release's migrations. @default all migrations */
  readonly migrations?: readonly Migration[] | undefined
  /** Called after this process has applied a migration. */
  readonly onApplied?: ((name: string) => void) | undefined
}

/** The options of {@link ensureMigrated}. */
export interface EnsureOptions extends MigrationOptions {
  readonly log: Pick<Logger, 'warn'>
  /** Takes the migration lock. No other process runs migrations until the session ends. */
  readonly lock: () => Promise<void>
  /** With `migrate: 'off'`, the maximum wait for another process to apply the migrations, in milliseconds. */
  readonly waitMs: number
  readonly signal?: AbortSignal | undefined
}

/**
 * Applies the pending migrations or, with `migrate: 'off'`, waits until another process has applied them.
 * @param session a single connection, because session settings must persist between the statements.
 * @throws DatabaseStartupError when this process must not run on the database, or the migrations are not applied in
 * time.
 */
export const ensureMigrated = async (session: Queryable, options: EnsureOptions): Promise<void> => {
  const { migrate = 'auto', migrations = allMigrations, lock } = options
  const read = () => readMigrationState(session, migrations, version)
  if (migrate === 'off') return waitForMigrations(read, options)
  const found = await read()
  requireCompatible(found)
  if (found.pending.length === 0) return
  await lock()
  // Another process may have migrated the database before this one got the lock.
  const state = await read()
  requireCompatible(state)
  if (state.applied.length === 0) await requireNoForeignTables(session, state.pending)
  await runMigrations(session, { ...options, migrations, pending: state.pending, release: version })
}
