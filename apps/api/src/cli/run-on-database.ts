import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { requireCompleteRestore } from '../backup/interrupted-restore.ts'
import type { Config } from '../config/config.ts'
import { type CommandResponse, sendCommand } from '../database/control-socket.ts'
import type { Database } from '../database/database.ts'
import { DataFolderInUseError, socketPath } from '../database/lock.ts'
import { entities } from '../entities.ts'
import { pathExists } from '../shared/path-exists.ts'
import { withDataFolderLock } from './with-data-folder-lock.ts'

const poolSize = 2
const maxAttempts = 5
const betweenAttemptsMs = 200

/** A command that an operator runs. */
export interface OperatorCommand {
  /** The name of the command on the control socket. */
  readonly name: string
  readonly input: unknown
  /** Runs the command on a database that this process opened. */
  run(database: Database): Promise<CommandResponse>
  /**
   * Called after a new embedded database was created. Without this callback, the command does not create a missing
   * database.
   */
  readonly onNewDatabase?: ((dataDir: string) => void) | undefined
}

/**
 * Runs a command on the configured database. A PostgreSQL database is opened directly, even while servers use it. For
 * the embedded database, the command is sent to the server that holds the data folder's lock. If no server holds the
 * lock, this process opens the database itself.
 */
export const runOnDatabase = async (config: Config, log: Logger, command: OperatorCommand): Promise<CommandResponse> => {
  if (config.databaseUrl !== undefined) {
    const { openPostgres } = await import('../database/postgres.ts')
    return runAndClose(await openPostgres({ entities, url: config.databaseUrl, poolSize, log, migrate: config.migrate }), command)
  }
  const dataDir = resolve(config.dataDir)
  for (let attempt = 1; ; attempt += 1) {
    const response = await sendCommand(socketPath(dataDir), command.name, command.input)
    if (response) return response
    requireCompleteRestore(dataDir)
    const isNew = !pathExists(join(dataDir, 'db'))
    // Without this check, the command would create an empty database at a mistyped path.
    if (isNew && !command.onNewDatabase) return { error: `There is no database in ${dataDir}. Check FLOWPOST_DATA_DIR.` }
    try {
      const done = await runInFolder(dataDir, command)
      if (isNew) command.onNewDatabase?.(dataDir)
      return done
    } catch (error) {
      // Another process has locked the data folder in the meantime. The next attempt sends the command to that process.
      if (!(error instanceof DataFolderInUseError) || attempt === maxAttempts) throw error
      await sleep(betweenAttemptsMs)
    }
  }
}

const runInFolder = (dataDir: string, command: OperatorCommand): Promise<CommandResponse> =>
  withDataFolderLock(dataDir, async () => {
    requireCompleteRestore(dataDir)
    // Imported only when needed, because it loads a WebAssembly build of PostgreSQL.
    const { openEmbedded } = await import('../database/embedded.ts')
    return runAndClose(await openEmbedded({ entities, dataDir }), command)
  })

const runAndClose = async (database: Database, command: OperatorCommand): Promise<CommandResponse> => {
  try {
    return await command.run(database)
  } finally {
    await database.close()
  }
}
