import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { basename, extname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { CliError } from '../cli-error.ts'

const extensions = ['.ts', '.mts', '.js', '.mjs']

/** The name of a new config file. */
export const defaultConfigName = 'flowpost.config.ts'

/** A loaded config file. `value` has not been validated. */
export interface LoadedConfig {
  readonly path: string
  readonly value: unknown
}

// The entry point of this package is next to this file in `dist`, and one folder above it in `src`.
const ownModule = (): string => {
  const candidates = ['./index.js', '../index.ts'].map((path) => fileURLToPath(new URL(path, import.meta.url)))
  return candidates.find((path) => existsSync(path)) ?? '@flowpost/cli'
}

/** Returns the paths of a folder's files with the name `flowpost.config` and the extension `ts`, `mts`, `js` or `mjs`. */
export const findConfigFiles = (workingFolder: string): string[] =>
  extensions.map((extension) => resolve(workingFolder, `flowpost.config${extension}`)).filter((path) => existsSync(path))

/** Returns the path of a folder's config file, or `undefined` if there is none. */
const findConfigFile = (workingFolder: string): string | undefined => {
  const [path, ...others] = findConfigFiles(workingFolder)
  if (path !== undefined && others.length > 0)
    throw new CliError(
      `There are several config files: ${[path, ...others].map((name) => basename(name)).join(', ')}.`,
      'Name the file in the command, or delete the others.',
    )
  return path
}

/**
 * Returns the path of the config file to write: the given file, the working folder's config file, or a new file.
 *
 * @throws {CliError} When the folder has several config files, or when the given file could not contain a program.
 */
export const configPathToWrite = (given: string | undefined, workingFolder: string): string => {
  const path = resolve(workingFolder, given ?? findConfigFile(workingFolder) ?? defaultConfigName)
  if (!extensions.includes(extname(path)))
    throw new CliError(`${path} cannot be a config file.`, `A config file is a program with the extension ${extensions.join(', ')}.`)
  return path
}

/** Returns the line of the config file where the error came from, such as ` (line 6)`, unless it is unknown or in the message. */
const lineIn = (path: string, { message, stack }: Error): string => {
  const [, position] = message.includes(path) ? [] : (stack?.split(`${path}:`) ?? [])
  const line = position === undefined ? 0 : Number.parseInt(position, 10)
  return line > 0 ? ` (line ${line})` : ''
}

/**
 * Loads the given config file or, by default, the working folder's config file. Supports TypeScript on every supported Node
 * version.
 *
 * @throws {CliError} When the file does not exist, throws an error or has no default export, or when the folder has several
 * config files.
 */
export const loadConfig = async (given: string | undefined, workingFolder: string): Promise<LoadedConfig> => {
  const path = given === undefined ? findConfigFile(workingFolder) : resolve(workingFolder, given)
  if (path === undefined || !existsSync(path))
    throw new CliError(given === undefined ? `There is no ${defaultConfigName} in ${workingFolder}.` : `There is no file ${given}.`)
  const { createJiti } = await import('jiti')
  // With the alias, the config file can import this package even if the package runs through npx and is not installed
  // next to the file.
  const jiti = createJiti(import.meta.url, {
    alias: { '@flowpost/cli': ownModule() },
    fsCache: false,
    moduleCache: false,
    tryNative: false,
  })
  let module: Readonly<Record<string, unknown>>
  try {
    // Evaluates the source instead of importing the file. `flowpost dev` reloads the file after each change, but Node caches
    // imported JavaScript modules, so a second import would return the old content.
    const source = await readFile(path, 'utf8')
    module = (await jiti.evalModule(source, { filename: path, async: true, forceTranspile: true })) as typeof module
  } catch (error) {
    throw new CliError(`${path} cannot be loaded: ${error instanceof Error ? error.message + lineIn(path, error) : String(error)}`)
  }
  // Without a default export, `module.default` returns an object with all exports. Only `hasOwn` detects this case.
  if (!Object.hasOwn(module, 'default')) throw new CliError(`${path} has no default export.`, 'Write: export default defineConfig({ … })')
  return { path, value: module['default'] }
}
