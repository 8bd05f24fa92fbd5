import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseStartupError } from '../database/until-available.ts'

/** Returns the path to which a restore moves the database that it replaces. */
export const replacedPath = (dataDir: string): string => join(dataDir, 'replaced')

/**
 * Throws if a restore was interrupted after it moved the old database away and before it moved the new one into place.
 * Without this check, a server or a command would create a new, empty database.
 * @throws DatabaseStartupError with instructions.
 */
export const requireCompleteRestore = (dataDir: string): void => {
  if (existsSync(join(dataDir, 'db')) || !existsSync(replacedPath(dataDir))) return
  throw new DatabaseStartupError(
    `A restore into ${dataDir} was interrupted. Run it again, or rename ${replacedPath(dataDir)} to "db" to use the earlier database.`,
  )
}
