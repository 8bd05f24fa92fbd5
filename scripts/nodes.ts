// The Node versions that the published packages are tested on.
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** Returns the version of a Node executable, such as `24.21.0`. */
export const versionOf = (node: string): string => execFileSync(node, ['--version'], { encoding: 'utf8' }).trim().slice(1)

/**
 * Returns the path of the Node that runs this program. Also returns the path of the first Node in `PATH`, outside `node_modules`,
 * if that Node has a different version.
 */
export const findNodes = (): string[] => {
  const machine = (process.env['PATH'] ?? '')
    .split(delimiter)
    .filter((folder) => !folder.includes('node_modules'))
    .map((folder) => join(folder, process.platform === 'win32' ? 'node.exe' : 'node'))
    .find((path) => existsSync(path))
  return [process.execPath, ...(machine && versionOf(machine) !== process.versions.node ? [machine] : [])]
}
