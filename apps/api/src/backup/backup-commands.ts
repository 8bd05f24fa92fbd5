import type { Logger } from 'pino'
import type { CommandResponse } from '../database/control-socket.ts'
import type { Database } from '../database/database.ts'
import type { EmbeddedDatabase } from '../database/embedded.ts'
import type { EncryptionKey } from '../shared/encryption-keys.ts'
import { backupEmbedded } from './embedded-backup.ts'

/**
 * Creates the function that backs up a running server's embedded database at an operator's request. Its `input` is
 * `{ folder }`, where `folder` is the absolute path of the backup folder.
 */
export const createBackupCommands =
  (deps: { database: Database | EmbeddedDatabase; dataDir: string; keys: readonly EncryptionKey[]; log: Logger }) =>
  async (input: unknown): Promise<CommandResponse> => {
    const { database, dataDir, keys, log } = deps
    const { folder } = input as { folder: string }
    if (!('connection' in database)) return { error: 'A server can back up only an embedded database.' }
    const startedMs = performance.now()
    try {
      await backupEmbedded({ connection: database.connection, dataDir, keys }, folder)
    } catch (error) {
      return { error: `Could not back up the database: ${(error as Error).message}` }
    }
    log.info({ folder, took_ms: Math.round(performance.now() - startedMs) }, 'Backed up the database.')
    return { result: { folder } }
  }
