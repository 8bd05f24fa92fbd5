import { CliError } from '../cli-error.ts'
import type { Environment, Environments } from './environments-file.ts'
import { devFolderName } from './folder-environment.ts'
import { requireKey } from './key-facts.ts'
import type { Override } from './override.ts'

/** The server and key that a command uses, and where they come from. */
export interface SelectedEnvironment extends Environment {
  /** The name of the stored environment; `undefined` if the server and key come from another source. */
  readonly name: string | undefined
  /** A description of where the server and key come from. */
  readonly source: string
}

/** Functions that read the places where a server's URL and a key can be stored. Each is called only if it is needed. */
export interface EnvironmentSources {
  readEnvironments(): Promise<Environments>
  /** Reads the sources that take precedence over the current environment; see {@link selectEnvironment}. */
  readOverride(): Promise<Override | undefined>
}

const stored = (name: string) => ({ name, source: `the environment ${name}` })

const namesOf = ({ named }: Environments): string => [...named.keys()].join(', ') || 'none'

/**
 * Determines the server and key for a command. Uses the first of these sources that is set:
 * 1. the option `--env`
 * 2. `FLOWPOST_BASE_URL` and `FLOWPOST_API_KEY`
 * 3. the working folder's `flowpost dev` server
 * 4. the current environment
 *
 * @throws {CliError} When no source is set, when `--env` names an unknown environment, when `FLOWPOST_API_KEY` contains a
 * character that no key has, or when only one of the two variables is set. Taking the missing value from another source could
 * send a key to the wrong server.
 */
export const selectEnvironment = async (
  option: string | undefined,
  { readEnvironments, readOverride }: EnvironmentSources,
): Promise<SelectedEnvironment> => {
  if (option !== undefined) {
    const environments = await readEnvironments()
    const environment = environments.named.get(option)
    if (!environment)
      throw new CliError(`There is no environment ${option}. Environments: ${namesOf(environments)}.`, `Run: flowpost login ${option}`)
    return { ...environment, ...stored(option) }
  }
  const override = await readOverride()
  if (override?.source === 'incomplete')
    throw new CliError(
      `${override.present} is set, but ${override.missing} is not.`,
      'Set both, unset both, or name a stored environment with --env.',
    )
  if (override?.source === 'variables') requireKey(override.environment.apiKey, 'FLOWPOST_API_KEY')
  if (override) {
    const source =
      override.source === 'variables' ? 'FLOWPOST_BASE_URL and FLOWPOST_API_KEY' : `${devFolderName} in this folder (flowpost dev)`
    return { ...override.environment, name: undefined, source }
  }
  const environments = await readEnvironments()
  const environment = environments.current === undefined ? undefined : environments.named.get(environments.current)
  if (!environment)
    throw new CliError(
      'No server is configured.',
      environments.named.size === 0
        ? 'Run `flowpost login`, or set FLOWPOST_BASE_URL and FLOWPOST_API_KEY. To start a server here, run `flowpost dev`.'
        : `Run \`flowpost env use NAME\`. Environments: ${namesOf(environments)}.`,
    )
  return { ...environment, ...stored(environments.current ?? '') }
}
