import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { contentFolder } from './content-folder.ts'

/**
 * Makes the content folder contain exactly the given files. Does not touch files that have not changed, because the
 * development server reloads a page when its file is written.
 */
export const writeFiles = (files: ReadonlyMap<string, string | Buffer>): void => {
  for (const entry of globSync('**/*', { cwd: contentFolder, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    if (entry.isFile() && !files.has(path.slice(contentFolder.length))) rmSync(path)
  }
  for (const [name, content] of files) {
    const path = join(contentFolder, name)
    const bytes = Buffer.from(content)
    if (existsSync(path) && readFileSync(path).equals(bytes)) continue
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, bytes)
  }
}
