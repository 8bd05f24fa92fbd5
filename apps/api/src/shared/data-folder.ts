import { mkdir, stat } from 'node:fs/promises'
import type { Logger } from 'pino'

const ownerOnly = 0o700
const beyondOwner = 0o077

/**
 * Creates the data folder with access for its owner only. Warns if an existing folder is open to others, because the folder
 * holds messages and the encryption key. Existing permissions are not changed.
 */
export const prepareDataFolder = async (dataDir: string, log: Pick<Logger, 'warn'>): Promise<void> => {
  await mkdir(dataDir, { recursive: true, mode: ownerOnly })
  // Windows has no POSIX modes.
  if (process.platform === 'win32') return
  const mode = (await stat(dataDir)).mode & 0o777
  if ((mode & beyondOwner) === 0) return
  const command = `chmod 700 '${dataDir.replaceAll("'", `'\\''`)}'`
  log.warn({ data_dir: dataDir, mode: mode.toString(8).padStart(4, '0') }, `Other users can open the data folder. Run: ${command}`)
}
