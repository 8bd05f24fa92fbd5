import { access, constants, mkdir, stat } from 'node:fs/promises'
import type { Logger } from 'pino'

const ownerOnly = 0o700
const beyondOwner = 0o077

/** Thrown when the server cannot write to its data folder. The message says what to do. */
export class DataFolderError extends Error {
  constructor(dataDir: string, cause: Error) {
    super(
      `The server cannot write to its data folder ${dataDir}: ${cause.message}. ` +
        'Set FLOWPOST_DATA_DIR to a folder that the server can write to, or set DATABASE_URL to use PostgreSQL instead.',
      { cause },
    )
    this.name = 'DataFolderError'
  }
}

const createFolder = async (dataDir: string): Promise<void> => {
  await mkdir(dataDir, { recursive: true, mode: ownerOnly })
  await access(dataDir, constants.W_OK)
}

/**
 * Creates the data folder with access for its owner only. Warns if an existing folder is open to others, because the folder
 * holds messages and the encryption key. Existing permissions are not changed.
 * @throws DataFolderError when the folder cannot be created, or the server cannot write to it.
 */
export const prepareDataFolder = async (dataDir: string, log: Pick<Logger, 'warn'>): Promise<void> => {
  await createFolder(dataDir).catch((error: Error) => {
    throw new DataFolderError(dataDir, error)
  })
  // Windows has no POSIX modes.
  if (process.platform === 'win32') return
  const mode = (await stat(dataDir)).mode & 0o777
  if ((mode & beyondOwner) === 0) return
  const command = `chmod 700 '${dataDir.replaceAll("'", `'\\''`)}'`
  log.warn({ data_dir: dataDir, mode: mode.toString(8).padStart(4, '0') }, `Other users can open the data folder. Run: ${command}`)
}
