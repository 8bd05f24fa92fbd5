import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseStartupError } from '../database/until-available.ts'

/** Returns the path of the database that a restore is replacing. */
export const replacedPath = (dataDir: string): string => join(dataDir, 'replaced')

/**
 * Requires that no restore was interrupted between moving the old database away and the new one into its place. Otherwise, a
 * start would create a new, empty database.
 * @throws DatabaseStartupError with what to do.
 */
export const requireCompleteRestore = (dataDir: string): void => {
  if (existsSync(join(dataDir, 'db')) || !existsSync(replacedPath(dataDir))) return
  throw new DatabaseStartupError(
    `A restore into ${dataDir} was interrupted. Run it again, or rename ${replacedPath(dataDir)} to "db" to use the earlier database.`,
  )
}
