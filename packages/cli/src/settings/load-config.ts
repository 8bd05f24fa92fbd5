import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { CliError } from '../cli-error.ts'

const names = ['ts', 'mts', 'js', 'mjs'].map((extension) => `flowpost.config.${extension}`)

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

/** Returns the path of a folder's config file, or `undefined` if there is none. */
export const defaultConfigPath = (workingFolder: string): string | undefined =>
  names.map((name) => resolve(workingFolder, name)).find((path) => existsSync(path))

/**
 * Loads the given config file, or `flowpost.config` with the extension `ts`, `mts`, `js` or `mjs` in the working folder.
 * Supports TypeScript on every supported Node version.
 *
 * @throws {CliError} When the file does not exist, throws an error or has no default export.
 */
export const loadConfig = async (given: string | undefined, workingFolder: string): Promise<LoadedConfig> => {
  const path = given === undefined ? defaultConfigPath(workingFolder) : resolve(workingFolder, given)
  if (path === undefined || !existsSync(path))
    throw new CliError(given === undefined ? `There is no flowpost.config.ts in ${workingFolder}.` : `There is no file ${given}.`)
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
    throw new CliError(`${path} cannot be loaded: ${error instanceof Error ? error.message : String(error)}`)
  }
  // Without a default export, `module.default` returns an object with all exports. Only `hasOwn` detects this case.
  if (!Object.hasOwn(module, 'default')) throw new CliError(`${path} has no default export.`, 'Write: export default defineConfig({ … })')
  return { path, value: module['default'] }
}
