// Which versions of Node the published packages are tried on.
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** The version of a Node, such as `24.21.0`. */
export const versionOf = (node: string): string => execFileSync(node, ['--version'], { encoding: 'utf8' }).trim().slice(1)

/** The Node of this repository, and the machine's own when it is another: packages promise to run on older ones. */
export const findNodes = (): string[] => {
  const machine = (process.env['PATH'] ?? '')
    .split(delimiter)
    .filter((folder) => !folder.includes('node_modules'))
    .map((folder) => join(folder, process.platform === 'win32' ? 'node.exe' : 'node'))
    .find((path) => existsSync(path))
  return [process.execPath, ...(machine && versionOf(machine) !== process.versions.node ? [machine] : [])]
}
