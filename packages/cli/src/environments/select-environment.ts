import { CliError } from '../cli-error.ts'
import type { Environment, Environments } from './environments-file.ts'

/** The server and key of a command, and where they come from. */
export interface SelectedEnvironment extends Environment {
  /** The name of a stored environment; `undefined` if the environment variables determine it. */
  readonly name: string | undefined
}

const namesOf = ({ named }: Environments): string => [...named.keys()].join(', ') || 'none'

/**
 * Determines the server and key of a command: the option `--env`, then `FLOWPOST_BASE_URL` and `FLOWPOST_API_KEY`, then the current
 * environment.
 *
 * @throws {CliError} When there is none, or when only one of the two variables is set. A key that belongs to one server must not
 * be sent to another.
 */
export const selectEnvironment = async (
  option: string | undefined,
  variables: Readonly<Record<string, string | undefined>>,
  readEnvironments: () => Promise<Environments>,
): Promise<SelectedEnvironment> => {
  if (option !== undefined) {
    const environments = await readEnvironments()
    const environment = environments.named.get(option)
    if (!environment)
      throw new CliError(`There is no environment ${option}. Environments: ${namesOf(environments)}.`, `Run: flowpost login ${option}`)
    return { ...environment, name: option }
  }
  const baseUrl = variables['FLOWPOST_BASE_URL']
  const apiKey = variables['FLOWPOST_API_KEY']
  if (baseUrl && apiKey) return { baseUrl, apiKey, name: undefined }
  if (baseUrl || apiKey) {
    const [present, missing] = baseUrl ? ['FLOWPOST_BASE_URL', 'FLOWPOST_API_KEY'] : ['FLOWPOST_API_KEY', 'FLOWPOST_BASE_URL']
    throw new CliError(`${present} is set, but ${missing} is not.`, 'Set both, unset both, or name a stored environment with --env.')
  }
  const environments = await readEnvironments()
  const environment = environments.current === undefined ? undefined : environments.named.get(environments.current)
  if (!environment)
    throw new CliError(
      'No server is configured.',
      environments.named.size === 0
        ? 'Run `flowpost login`, or set FLOWPOST_BASE_URL and FLOWPOST_API_KEY.'
        : `Run \`flowpost env use NAME\`. Environments: ${namesOf(environments)}.`,
    )
  return { ...environment, name: environments.current }
}
