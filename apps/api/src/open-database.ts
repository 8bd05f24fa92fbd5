import { resolve } from 'node:path'
import type { Logger } from 'pino'
import type { Config } from './config/config.ts'
import type { RunCommand } from './database/control-socket.ts'
import { startDatabaseClock, timeOf } from './database/database-clock.ts'
import type { EmbeddedDatabase } from './database/embedded.ts'
import { lockDataFolder } from './database/lock.ts'
import { warnWithoutAutovacuum } from './database/postgres/autovacuum.ts'
import type { PostgresDatabase } from './database/postgres.ts'
import { entities } from './entities.ts'
import { type Clock, systemClock } from './shared/clock.ts'
import { prepareDataFolder } from './shared/data-folder.ts'

const poolSize = 20
const defaultWaitMs = 60_000

/** A database that is open. */
export interface OpenDatabase {
  readonly database: PostgresDatabase | EmbeddedDatabase
  /** The time of the database. */
  readonly clock: Clock
  /** How far the clock of this machine is ahead of the database's, in seconds. */
  readonly clockSkewSeconds: () => number
  /** Whether the database answers. */
  readonly isReachable: () => Promise<boolean>
  /** Begins to carry out operators' commands, as far as they have no other way to the database. */
  readonly serveCommands: (run: RunCommand) => void
}

/** The options of {@link openDatabase}. */
export interface OpenDatabaseOptions {
  /** How long to wait for a PostgreSQL server that is away, in milliseconds. @default 60,000 */
  readonly databaseWaitMs?: number
  /**
   * Called with the reason when the process has to end and be started again, because it cannot reach the database any more or
   * its clock is wrong. @default logs it
   */
  readonly onFatal?: (error: Error) => void
  /** Ends the wait for a PostgreSQL server. */
  readonly signal?: AbortSignal
}

/**
 * Opens the database that the environment names. Everything that is opened is added to `stack`, in order.
 * @throws DataFolderInUseError when another process holds the folder of the embedded database.
 * @throws DatabaseStartupError when PostgreSQL stays away or cannot be used, or when its clock and this machine's differ by minutes.
 */
export const openDatabase = async (
  config: Config,
  log: Logger,
  stack: AsyncDisposableStack,
  options: OpenDatabaseOptions = {},
): Promise<OpenDatabase> => {
  const { databaseWaitMs = defaultWaitMs, signal, onFatal = (error) => log.fatal({ err: error }, error.message) } = options
  if (config.databaseUrl !== undefined) {
    const { openPostgres } = await import('./database/postgres.ts')
    const database = await openPostgres({ entities, url: config.databaseUrl, poolSize, log, waitMs: databaseWaitMs, signal, onFatal })
    stack.defer(() => database.close())
    const clock = await startDatabaseClock({ readTimeMs: timeOf(database), log, onFatal })
    stack.defer(clock.stop)
    // Nothing depends on the answer, so the start does not wait for it.
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
  // A WebAssembly build of PostgreSQL: who has a server of it need not load that.
  const { openEmbedded } = await import('./database/embedded.ts')
  const database = await openEmbedded({ entities, dataDir, onFatal })
  stack.defer(() => database.close())
  // No other process may open the folder now, so the operator's commands come to this one.
  const isReachable = () =>
    database.query('select 1').then(
      () => true,
      () => false,
    )
  return { database, clock: systemClock, clockSkewSeconds: () => 0, isReachable, serveCommands: lock.serve }
}
