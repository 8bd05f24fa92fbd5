import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { CliError } from '../cli-error.ts'
import { writePrivateFile } from '../environments/private-file.ts'
import { toSource } from '../settings/config-source.ts'
import type { Config } from '../settings/config-types.ts'
import type { ImportedVariable } from './build-config.ts'

const toConfigFile = (config: Config): string =>
  `import { defineConfig } from '@flowpost/cli'\n\nexport default defineConfig(${toSource(config, '')})\n`

/**
 * Rejects files that would overwrite each other, and files that exist already, unless `force` is set.
 *
 * @throws {CliError} When two files have the same path, or when one of the files exists and `force` is not set.
 */
export const requireWritable = (names: readonly string[], workingFolder: string, force: boolean): void => {
  const paths = names.map((name) => resolve(workingFolder, name))
  const repeated = paths.find((path, index) => paths.indexOf(path) < index)
  if (repeated !== undefined)
    throw new CliError(`${repeated} cannot contain both a config and secrets.`, 'Choose another path for --secrets-file.')
  const existing = paths.find((path) => existsSync(path))
  if (existing !== undefined && !force) throw new CliError(`${existing} exists.`, 'Pass --force to overwrite it.')
}

const failToWrite = (path: string) => (error: Error) => {
  throw new CliError(`${path} cannot be written: ${error.message}`)
}

/**
 * Writes a config file. Returns its path.
 *
 * @throws {CliError} When the file cannot be written.
 */
export const writeConfig = async (name: string, config: Config, workingFolder: string, force: boolean): Promise<string> => {
  const path = resolve(workingFolder, name)
  await writeFile(path, toConfigFile(config), { flag: force ? 'w' : 'wx' }).catch(failToWrite(path))
  return path
}

/**
 * Quotes a value so that `sh` and `node --env-file` both read it unchanged. Returns `undefined` if neither single nor double
 * quotes make this possible.
 */
const quote = (value: string): string | undefined => {
  if (/\p{Cc}/u.test(value)) return undefined
  if (!value.includes("'")) return `'${value}'`
  return /["$`\\!]/.test(value) ? undefined : `"${value}"`
}

/**
 * Writes environment variables to a file that only its owner can read. A variable that has no value or cannot be quoted
 * becomes a comment. Returns the names of these variables.
 *
 * @throws {CliError} When the file cannot be written.
 */
export const writeVariables = async (name: string, variables: readonly ImportedVariable[], workingFolder: string): Promise<string[]> => {
  const lines: string[] = []
  const missing: string[] = []
  for (const variable of variables) {
    const quoted = variable.value === undefined ? undefined : quote(variable.value)
    if (quoted === undefined) missing.push(variable.name)
    lines.push(quoted === undefined ? `# ${variable.name}=` : `${variable.name}=${quoted}`)
  }
  const path = resolve(workingFolder, name)
  await writePrivateFile(path, `${lines.join('\n')}\n`).catch(failToWrite(path))
  return missing
}
