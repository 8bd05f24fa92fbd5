import { resolve } from 'node:path'
import type { Logger } from 'pino'
import { requireCompleteRestore } from './backup/interrupted-restore.ts'
import type { Config } from './config/config.ts'
import type { RunCommand } from './database/control-socket.ts'
import { startDatabaseClock, timeOf } from './database/database-clock.ts'
import type { EmbeddedDatabase, EmbeddedOptions } from './database/embedded.ts'
import { lockDataFolder } from './database/lock.ts'
import type { Migration } from './database/migrate/migration.ts'
import { warnWithoutAutovacuum } from './database/postgres/autovacuum-check.ts'
import type { PostgresDatabase } from './database/postgres.ts'
import { entities } from './entities.ts'
import { type Clock, systemClock } from './shared/clock.ts'
import { prepareDataFolder } from './shared/data-folder.ts'

const poolSize = 20
const defaultWaitMs = 60_000

/** An open database. */
export interface OpenDatabase {
  readonly database: PostgresDatabase | EmbeddedDatabase
  /** The database's clock. For the embedded database, it is this machine's clock. */
  readonly clock: Clock
  /** Returns how many seconds this machine's clock is ahead of the database's clock; negative if it is behind. */
  readonly clockSkewSeconds: () => number
  /** Returns whether the database is reachable. */
  readonly isReachable: () => Promise<boolean>
  /**
   * Sets the function that runs operator commands, such as `pnpm keys`, on the embedded database. Only one process can open
   * that database, so commands are sent to this process; see `control-socket.ts`. On PostgreSQL, this method has no effect,
   * because the commands open their own connections.
   */
  readonly serveCommands: (run: RunCommand) => void
}

/** The options of {@link openDatabase}. */
export interface OpenDatabaseOptions {
  /**
   * How long, in milliseconds, to wait for an unreachable PostgreSQL server. With `FLOWPOST_MIGRATE=off`, also how long
   * to wait for another process to apply the migrations. @default 60,000
   */
  readonly databaseWaitMs?: number
  /**
   * Called when the process must be restarted. The error states the reason, for example that the database can no longer be
   * used, or that this machine's clock is wrong. @default logs the reason
   */
  readonly onFatal?: (error: Error) => void
  /** Aborts the wait for a PostgreSQL server, or for the migrations to be applied. */
  readonly signal?: AbortSignal
  /** The migrations that this process knows. Tests pass the migrations of another release. @default all migrations */
  readonly migrations?: readonly Migration[]
  /** Starts the thread of the embedded database. @default a new thread that opens the data folder */
  readonly startThread?: EmbeddedOptions['startThread']
}

/**
 * Opens the configured database. Everything that must be closed is added to `stack`.
 * @throws DataFolderInUseError when another process holds the embedded database's data folder.
 * @throws DatabaseStartupError when the database cannot be used. The message states the reason, for example that PostgreSQL
 * stays unreachable, that the database needs a later release of Flowpost, or that the clocks differ by more than a minute.
 */
export const openDatabase = async (
  config: Config,
  log: Logger,
  stack: AsyncDisposableStack,
  options: OpenDatabaseOptions = {},
): Promise<OpenDatabase> => {
  const { databaseWaitMs = defaultWaitMs, signal, migrations, startThread } = options
  const onFatal = options.onFatal ?? ((error) => log.fatal({ err: error }, error.message))
  if (config.databaseUrl !== undefined) {
    const { openPostgres } = await import('./database/postgres.ts')
    const { databaseUrl: url, migrate } = config
    const database = await openPostgres({
      entities,
      url,
      poolSize,
      log,
      waitMs: databaseWaitMs,
      signal,
      onFatal,
      migrate,
      migrations,
      onApplied: (migration) => log.info({ migration }, 'Migration applied.'),
    })
    stack.defer(() => database.close())
    const clock = await startDatabaseClock({ readTimeMs: timeOf(database), log, onFatal })
    stack.defer(clock.stop)
    // This check only logs, so the start does not wait for it.
    void warnWithoutAutovacuum(database, log)
    return {
      database,
      clock,
      clockSkewSeconds: clock.skewSeconds,
      isReachable: async () => database.isReachable(),
      serveCommands: () => {},
    }
  }
  const dataDir = resolve(config.dataDir)
  await prepareDataFolder(dataDir, log)
  const lock = await lockDataFolder(dataDir)
  stack.defer(() => lock.release())
  requireCompleteRestore(dataDir)
  // Imported only when needed, because it loads a WebAssembly build of PostgreSQL.
  const { openEmbedded } = await import('./database/embedded.ts')
  const applied: string[] = []
  const onApplied = (name: string) => void applied.push(name)
  const database = await openEmbedded({ entities, dataDir, onFatal, migrations, onApplied, startThread })
  stack.defer(() => database.close())
  // The first start applies all migrations within a second, so they share one log line.
  if (applied.length > 0) log.info({ migrations: applied.length, newest: applied.at(-1) }, 'Migrations applied.')
  const isReachable = () =>
    database.query('select 1').then(
      () => true,
      () => false,
    )
  return { database, clock: systemClock, clockSkewSeconds: () => 0, isReachable, serveCommands: lock.serve }
}
