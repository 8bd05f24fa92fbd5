import { resolve } from 'node:path'
import type { Logger } from 'pino'
import type { Config } from '../../config/config.ts'
import { readEncryptionKeyFile } from '../../shared/encryption-key-file.ts'
import type { EncryptionKey } from '../../shared/encryption-keys.ts'

/**
 * The keys that secrets are sealed with: those of the environment, and on the embedded database those
 * of the data folder, where one is made when there is no other. The first seals. A key of the data
 * folder stays able to open when the environment brings another one, so that nothing is lost by that.
 *
 * @returns none on PostgreSQL without `FLOWPOST_ENCRYPTION_KEY`: then no secret can be stored.
 * @throws EncryptionKeyFileError when the data folder's key is damaged.
 */
export const loadEncryptionKeys = async (
  config: Pick<Config, 'databaseUrl' | 'dataDir' | 'encryptionKeys'>,
  log: Logger,
): Promise<readonly EncryptionKey[]> => {
  if (config.databaseUrl !== undefined) return config.encryptionKeys
  const file = await readEncryptionKeyFile(resolve(config.dataDir), { make: config.encryptionKeys.length === 0 })
  if (file.isOpenToOthers) log.warn(`Others than its owner may read ${file.path}, which secrets are sealed with: set its mode to 0600.`)
  const given = new Set(config.encryptionKeys.map(({ id }) => id))
  return [...config.encryptionKeys, ...file.keys.filter(({ id }) => !given.has(id))]
}
