import { statSync } from 'node:fs'

/**
 * Returns whether a file or folder exists. Unlike `existsSync`, it does not return `false` if the check itself fails.
 * @throws the file system's error, for example `EACCES`, if the check fails.
 */
export const pathExists = (path: string): boolean => {
  try {
    statSync(path)
    return true
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return false
    throw error
  }
}
