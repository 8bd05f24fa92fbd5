import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Config } from '../config/config.ts'
import { type CommandAnswer, sendCommand } from '../database/control-socket.ts'
import type { Database } from '../database/database.ts'
import { DataFolderInUseError, lockDataFolder, socketPath } from '../database/lock.ts'
import { entities } from '../entities.ts'

const poolSize = 2
const mostAttempts = 5
const betweenAttemptsMs = 200

/** What an operator wants to have done. */
export interface OperatorCommand {
  /** As a server is asked for it. */
  readonly name: string
  readonly input: unknown
  /** Carries it out where this process has opened the database. */
  run(database: Database): Promise<CommandAnswer>
  /** Told when there was no database and one has been made. Where it is missing, none is made. */
  readonly onNewDatabase?: ((dataDir: string) => void) | undefined
}

/**
 * Carries out a command on the database of this environment: on PostgreSQL beside its servers; on the embedded
 * one through the server that holds it, else in its folder.
 */
export const runOnDatabase = async (config: Config, log: Logger, command: OperatorCommand): Promise<CommandAnswer> => {
  if (config.databaseUrl !== undefined) {
    const { openPostgres } = await import('../database/postgres.ts')
    return closing(await openPostgres({ entities, url: config.databaseUrl, poolSize, log }), command)
  }
  const dataDir = resolve(config.dataDir)
  for (let attempt = 1; ; attempt += 1) {
    const answer = await sendCommand(socketPath(dataDir), command.name, command.input)
    if (answer) return answer
    const isNew = !existsSync(join(dataDir, 'db'))
    // A typing error in the path must not pass as an empty list, nor leave a folder with a key behind.
    if (isNew && !command.onNewDatabase) return { error: `There is no database in ${dataDir}. Is FLOWPOST_DATA_DIR right?` }
    try {
      const done = await inFolder(dataDir, command)
      if (isNew) command.onNewDatabase?.(dataDir)
      return done
    } catch (error) {
      // Another process has come in between: it is asked.
      if (!(error instanceof DataFolderInUseError) || attempt === mostAttempts) throw error
      await sleep(betweenAttemptsMs)
    }
  }
}

const inFolder = async (dataDir: string, command: OperatorCommand): Promise<CommandAnswer> => {
  const lock = await lockDataFolder(dataDir)
  lock.serve(async () => ({ error: 'Another command of the operator is running. Try again in a moment.' }))
  try {
    // A WebAssembly build of PostgreSQL, which whoever is answered by a server has no use for.
    const { openEmbedded } = await import('../database/embedded.ts')
    return await closing(await openEmbedded({ entities, dataDir }), command)
  } finally {
    await lock.release()
  }
}

const closing = async (database: Database, command: OperatorCommand): Promise<CommandAnswer> => {
  try {
    return await command.run(database)
  } finally {
    await database.close()
  }
}
