import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import { openEmbedded } from '../database/embedded.ts'
import { DataFolderInUseError, lockDataFolder, socketPath } from '../database/lock.ts'
import { askOwnerTo, type CommandAnswer } from '../database/owner-protocol.ts'
import { openPostgres } from '../database/postgres.ts'
import { createKeyCommands, faultOfKeyCommand } from '../features/api-keys/operate-keys.ts'
import { systemClock } from '../shared/clock.ts'

const poolSize = 2
const mostAttempts = 5
const betweenAttemptsMs = 200

/** Carries out a command on the database of this environment, wherever that is. */
export const runOnDatabase = async (
  config: Config,
  log: Logger,
  command: string,
  input: unknown,
  tell: (line: string) => void,
): Promise<CommandAnswer> => {
  // Before anything is opened, or made.
  const fault = faultOfKeyCommand(command, input)
  if (fault !== undefined) return { error: fault }
  if (config.databaseUrl !== undefined) return onPostgres(config.databaseUrl, log, command, input)
  const dataDir = resolve(config.dataDir)
  for (let attempt = 1; ; attempt += 1) {
    const answer = await askOwnerTo(socketPath(dataDir), command, input)
    if (answer) return answer
    const isNew = !existsSync(join(dataDir, 'db'))
    // A typing error in the path must not pass as an empty list.
    if (isNew && command !== 'keys.create') return { error: `There is no database in ${dataDir}. Is FLOWPOST_DATA_DIR right?` }
    try {
      const done = await inFolder(dataDir, log, command, input)
      if (isNew) tell(`There was no database in ${dataDir}; it has been made.`)
      return done
    } catch (error) {
      // Another process has come in between: it is asked.
      if (!(error instanceof DataFolderInUseError) || attempt === mostAttempts) throw error
      await sleep(betweenAttemptsMs)
    }
  }
}

const onPostgres = async (url: string, log: Logger, command: string, input: unknown): Promise<CommandAnswer> => {
  const database = await openPostgres({ url, poolSize, log })
  try {
    return await createKeyCommands({ database, clock: systemClock, log })(command, input)
  } finally {
    await database.close()
  }
}

const inFolder = async (dataDir: string, log: Logger, command: string, input: unknown): Promise<CommandAnswer> => {
  const lock = await lockDataFolder(dataDir)
  lock.serve(async () => ({ error: 'Another command of the operator is running. Try again in a moment.' }))
  try {
    const database = await openEmbedded({ dataDir })
    try {
      return await createKeyCommands({ database, clock: systemClock, log })(command, input)
    } finally {
      await database.close()
    }
  } finally {
    await lock.release()
  }
}
