import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { pathExists } from '../shared/path-exists.ts'
import { BackupError } from './backup-error.ts'
import type { BackupFile } from './manifest.ts'

const hashOf = async (path: string): Promise<string> => {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer)
  return hash.digest('hex')
}

/** Returns the path, size and hash of every file in a folder and its subfolders. */
export const describeFiles = async (folder: string): Promise<BackupFile[]> => {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files: BackupFile[] = []
  for (const entry of entries) {
    if (!entry.isFile()) continue
    const path = join(entry.parentPath, entry.name)
    files.push({ path: relative(folder, path).split(sep).join('/'), size: (await stat(path)).size, sha256: await hashOf(path) })
  }
  return files
}

/**
 * Checks that a backup contains every file that its manifest lists, with the listed size and hash.
 * @throws BackupError naming the first file that is missing or has changed.
 */
export const requireIntactFiles = async (folder: string, files: readonly BackupFile[]): Promise<void> => {
  for (const { path, size, sha256 } of files) {
    const file = join(folder, path)
    const found = pathExists(file) ? await stat(file) : undefined
    if (found?.size === size && (await hashOf(file)) === sha256) continue
    throw new BackupError(`The backup in ${folder} is damaged: ${path} ${found ? 'has changed since the backup' : 'is missing'}.`)
  }
}
