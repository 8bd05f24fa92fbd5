import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { CliError } from '../cli-error.ts'

const packageName = '@flowpost/server'
const install = `Run: npm install --save-dev ${packageName}`

/**
 * Finds the server package that is installed for `workingFolder`, and returns the path to its program.
 *
 * @throws {CliError} When the package is not installed, is incomplete, or needs a newer version of Node.
 */
export const findServer = (workingFolder: string, nodeVersion: string = process.versions.node): string => {
  let manifestPath: string
  try {
    manifestPath = createRequire(join(workingFolder, 'package.json')).resolve(`${packageName}/package.json`)
  } catch {
    throw new CliError(`${packageName} is not installed in this folder. ${install}`)
  }
  const { bin, engines } = JSON.parse(readFileSync(manifestPath, 'utf8')) as {
    readonly bin?: Readonly<Record<string, string>>
    readonly engines?: { readonly node?: string }
  }
  const minMajor = Number(/^>=(\d+)/.exec(engines?.node ?? '')?.[1] ?? 0)
  if (Number.parseInt(nodeVersion, 10) < minMajor)
    throw new CliError(`${packageName} needs Node ${minMajor} or later. This is Node ${nodeVersion}.`)
  const program = bin?.['flowpost-server']
  const path = program === undefined ? undefined : join(dirname(manifestPath), program)
  if (path === undefined || !existsSync(path))
    throw new CliError(`The installation of ${packageName} in ${dirname(manifestPath)} is incomplete. ${install}`)
  return path
}
