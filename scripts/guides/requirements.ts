import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { isFree } from '../free-port.ts'
import { root } from '../packages/published.ts'

const execute = promisify(execFile)

/** Returns why packages cannot be installed on this machine, or `undefined`. */
export const findRegistryIssue = async (): Promise<string | undefined> =>
  execute('npm', ['view', 'commander', 'version'], { cwd: root }).then(
    () => undefined,
    () => 'The npm registry cannot be reached.',
  )

/** Returns the first reason why the guides cannot be followed on this machine, or `undefined`. */
export const findIssue = async (programs: readonly string[], ports: readonly number[]): Promise<string | undefined> => {
  for (const program of programs)
    if (!(await execute('which', [program]).then(Boolean, () => false))) return `The program ${program} is not installed.`
  for (const port of ports) if (!(await isFree(port))) return `Another program listens on port ${port}.`
  return findRegistryIssue()
}
