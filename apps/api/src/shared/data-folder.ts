import { mkdir, stat } from 'node:fs/promises'
import type { Logger } from 'pino'

const ownerOnly = 0o700
const beyondOwner = 0o077

/**
 * Creates the data folder for its owner alone, or warns when the existing one is open to others: it holds every message
 * and the key that secrets are encrypted with. Permissions that somebody set are left as they are.
 */
export const prepareDataFolder = async (dataDir: string, log: Pick<Logger, 'warn'>): Promise<void> => {
  await mkdir(dataDir, { recursive: true, mode: ownerOnly })
  // Windows has no such modes.
  if (process.platform === 'win32') return
  const mode = (await stat(dataDir)).mode & 0o777
  if ((mode & beyondOwner) === 0) return
  const command = `chmod 700 '${dataDir.replaceAll("'", `'\\''`)}'`
  log.warn({ data_dir: dataDir, mode: mode.toString(8).padStart(4, '0') }, `Other users can open the data folder. Run: ${command}`)
}
