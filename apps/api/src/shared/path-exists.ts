import { statSync } from 'node:fs'

/**
 * Returns whether a file or folder exists. Unlike `existsSync`, does not report a file as missing if this process may not
 * look for it.
 * @throws the file system's error, for example `EACCES`.
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
