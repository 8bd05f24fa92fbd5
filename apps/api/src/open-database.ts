import { resolve } from 'node:path'
import type { Logger } from 'pino'
import type { Config } from './config.ts'
import { warnWithoutAutovacuum } from './database/autovacuum.ts'
import type { EmbeddedDatabase } from './database/embedded.ts'
import { lockDataFolder } from './database/lock.ts'
import type { RunCommand } from './database/owner-protocol.ts'
import type { PostgresDatabase } from './database/postgres.ts'
import { prepareDataFolder } from './shared/data-folder.ts'

const poolSize = 20

/** A database that is open. */
export interface OpenDatabase {
  readonly database: PostgresDatabase | EmbeddedDatabase
  /** Begins to carry out operators' commands, as far as they have no other way to the database. */
  readonly serveCommands: (run: RunCommand) => void
}

/**
 * Opens the database that the environment names. What is opened is added to `closing`, in order.
 * @throws DataFolderInUseError when another process holds the folder of the embedded database.
 */
export const openDatabase = async (config: Config, log: Logger, closing: (() => Promise<void>)[]): Promise<OpenDatabase> => {
  if (config.databaseUrl !== undefined) {
    const { openPostgres } = await import('./database/postgres.ts')
    const database = await openPostgres({ url: config.databaseUrl, poolSize, log })
    closing.push(() => database.close())
    // Nothing depends on the answer, so the start does not wait for it.
    void warnWithoutAutovacuum(database, log)
    return { database, serveCommands: () => {} }
  }
  const dataDir = resolve(config.dataDir)
  await prepareDataFolder(dataDir, log)
  const lock = await lockDataFolder(dataDir)
  closing.push(() => lock.release())
  // A WebAssembly build of PostgreSQL: who has a server of it need not load that.
  const { openEmbedded } = await import('./database/embedded.ts')
  const database = await openEmbedded({ dataDir })
  closing.push(() => database.close())
  // No other process may open the folder now, so the operator's commands come to this one.
  return { database, serveCommands: lock.serve }
}
