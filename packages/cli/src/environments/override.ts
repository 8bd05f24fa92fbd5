import type { Io } from '../io.ts'
import type { Environment } from './environments-file.ts'
import { readFolderEnvironment } from './folder-environment.ts'
import { requireServerUrl } from './server-url.ts'

/** The server and key that commands without `--env` use instead of the current environment. `source` is their origin. */
export type Override =
  | { readonly source: 'variables'; readonly environment: Environment }
  | { readonly source: 'folder'; readonly environment: Environment }
  /** Only one of the two variables is set, so commands without `--env` fail. */
  | { readonly source: 'incomplete'; readonly present: string; readonly missing: string }

/**
 * Reads the server and key that take precedence over the current environment. Returns `undefined` if there are none.
 *
 * @throws {CliError} When both variables are set, but `FLOWPOST_BASE_URL` is not the URL of a server.
 */
export const readOverride = async ({ env, workingFolder }: Pick<Io, 'env' | 'workingFolder'>): Promise<Override | undefined> => {
  const { FLOWPOST_BASE_URL, FLOWPOST_API_KEY: apiKey } = env
  // Removes trailing slashes, because paths are appended to the URL.
  const baseUrl = FLOWPOST_BASE_URL?.replace(/\/+$/, '')
  if (baseUrl && apiKey) {
    requireServerUrl(baseUrl, 'FLOWPOST_BASE_URL')
    return { source: 'variables', environment: { baseUrl, apiKey } }
  }
  if (baseUrl) return { source: 'incomplete', present: 'FLOWPOST_BASE_URL', missing: 'FLOWPOST_API_KEY' }
  if (apiKey) return { source: 'incomplete', present: 'FLOWPOST_API_KEY', missing: 'FLOWPOST_BASE_URL' }
  const environment = await readFolderEnvironment(workingFolder)
  return environment && { source: 'folder', environment }
}

/** Formats the warning that commands do not use the environment `name`, although it is the current one. */
export const formatOverride = (override: Override, name: string): string => {
  if (override.source === 'variables')
    return `FLOWPOST_BASE_URL and FLOWPOST_API_KEY are set and take precedence over the environment ${name}. Unset them, or use --env ${name}.`
  if (override.source === 'folder')
    return `In this folder, the server of \`flowpost dev\` takes precedence over the environment ${name}. Use --env ${name}, or run commands in another folder.`
  return `${override.present} is set, but ${override.missing} is not, so commands without --env fail. Set both, unset both, or use --env ${name}.`
}
