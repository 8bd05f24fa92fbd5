import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import type { Queryable } from '../database/database.ts'
import { openEmbedded } from '../database/embedded.ts'
import { DataFolderInUseError, lockDataFolder, socketPath } from '../database/lock.ts'
import { askOwnerTo, type CommandAnswer } from '../database/owner-protocol.ts'
import { openPostgres } from '../database/postgres.ts'
import { loadEncryptionKeys } from '../features/integrations/load-encryption-keys.ts'
import { createSecretCommands } from '../features/integrations/secret-commands.ts'
import { createSecretBox } from '../shared/secret-box.ts'

const poolSize = 2
const mostAttempts = 5
const betweenAttemptsMs = 200
const command = 'secrets.rotate'

const runOn = async (database: Queryable, config: Config, log: Logger): Promise<CommandAnswer> =>
  createSecretCommands({ database, box: createSecretBox(await loadEncryptionKeys(config, log)), log })(command, {})

const onPostgres = async (url: string, config: Config, log: Logger): Promise<CommandAnswer> => {
  const database = await openPostgres({ url, poolSize, log })
  try {
    return await runOn(database, config, log)
  } finally {
    await database.close()
  }
}

const inFolder = async (dataDir: string, config: Config, log: Logger): Promise<CommandAnswer> => {
  const lock = await lockDataFolder(dataDir)
  try {
    const database = await openEmbedded({ dataDir })
    try {
      return await runOn(database, config, log)
    } finally {
      await database.close()
    }
  } finally {
    await lock.release()
  }
}

/**
 * Rotates the secrets of the database of this environment: on PostgreSQL beside its servers; on the embedded
 * one through the server that holds it, which has to have the key, else in its folder.
 */
export const rotateOnDatabase = async (config: Config, log: Logger): Promise<CommandAnswer> => {
  if (config.databaseUrl !== undefined) return onPostgres(config.databaseUrl, config, log)
  const dataDir = resolve(config.dataDir)
  const [first] = config.encryptionKeys
  const askServer = () => askOwnerTo(socketPath(dataDir), command, first ? { key: first.id } : {})
  for (let attempt = 1; ; attempt += 1) {
    const answer = await askServer()
    if (answer) return answer
    // A typing error in the path must not pass as nothing to do, nor leave a folder with a key behind.
    if (!existsSync(join(dataDir, 'db'))) return { error: `There is no database in ${dataDir}. Is FLOWPOST_DATA_DIR right?` }
    try {
      return await inFolder(dataDir, config, log)
    } catch (error) {
      // Another process has come in between: it is asked.
      if (!(error instanceof DataFolderInUseError) || attempt === mostAttempts) throw error
      await sleep(betweenAttemptsMs)
    }
  }
}
