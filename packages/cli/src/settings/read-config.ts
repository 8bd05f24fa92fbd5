import { CliError } from '../cli-error.ts'
import type { Config } from './config-types.ts'
import { loadConfig } from './load-config.ts'
import { findConfigIssues } from './validate-config.ts'

/**
 * Loads and checks a config file.
 *
 * @throws {CliError} When the file cannot be loaded or is not valid.
 */
export const readConfig = async (given: string | undefined, workingFolder: string): Promise<{ path: string; config: Config }> => {
  const { path, value } = await loadConfig(given, workingFolder)
  const issues = findConfigIssues(value)
  if (issues.length === 0) return { path, config: value as Config }
  const lines = issues.map(({ pointer, message }) => `  ${pointer || '/'}  ${message}`)
  throw new CliError(`${path} is not valid.`, lines.join('\n'))
}
