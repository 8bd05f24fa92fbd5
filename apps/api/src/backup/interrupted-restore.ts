import { join } from 'node:path'
import { DatabaseStartupError } from '../database/until-available.ts'
import { pathExists } from '../shared/path-exists.ts'

/** Returns the path to which a restore moves the database that it replaces. */
export const replacedPath = (dataDir: string): string => join(dataDir, 'replaced')

/**
 * Throws if a restore was interrupted after it moved the old database away and before it moved the new one into place.
 * Without this check, a server or a command would create a new, empty database.
 * @throws DatabaseStartupError with instructions, or the file system's error if this process may not open the data folder.
 */
export const requireCompleteRestore = (dataDir: string): void => {
  if (pathExists(join(dataDir, 'db')) || !pathExists(replacedPath(dataDir))) return
  throw new DatabaseStartupError(
    `A restore into ${dataDir} was interrupted. Run it again, or rename ${replacedPath(dataDir)} to "db" to use the earlier database.`,
  )
}
