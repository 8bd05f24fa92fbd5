import { mkdir, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { pathExists } from '../shared/path-exists.ts'
import { BackupError } from './backup-error.ts'

/** Checks that `folder` does not exist. @throws BackupError when it does. */
export const requireNewFolder = (folder: string): void => {
  if (pathExists(folder)) throw new BackupError(`${folder} already exists. Name a folder that does not exist.`)
}

/**
 * Creates a backup in a new folder that only its owner can open. `write` fills a temporary folder, which is renamed to
 * `folder` when it is complete. `folder` thus never contains a partial backup.
 * @throws BackupError when the folder or the temporary folder already exists.
 */
export const createBackupFolder = async (folder: string, write: (temporary: string) => Promise<void>): Promise<void> => {
  requireNewFolder(folder)
  const temporary = `${folder}.partial`
  await mkdir(dirname(folder), { recursive: true })
  await mkdir(temporary, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EEXIST')
      throw new BackupError(`${temporary} exists: another backup is running or was interrupted. If none is running, remove the folder.`)
    throw error
  })
  try {
    await write(temporary)
    await rename(temporary, folder)
  } catch (error) {
    await rm(temporary, { recursive: true, force: true })
    throw error
  }
}
