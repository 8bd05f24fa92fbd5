import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** Returns the number of files in a folder, and their total size in MiB. */
export const folderSize = (folder: string): { readonly files: number; readonly mebibytes: number } => {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const bytes = files.reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0)
  return { files: files.length, mebibytes: bytes / 2 ** 20 }
}
