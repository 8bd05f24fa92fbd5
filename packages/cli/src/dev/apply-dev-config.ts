import { type Flowpost, isFlowpostError, type SettingsApplied } from '@flowpost/client'
import { CliError } from '../cli-error.ts'
import type { Io } from '../io.ts'
import { toDocument } from '../settings/config-document.ts'
import type { Config, IntegrationConfig } from '../settings/config-types.ts'
import { loadConfig } from '../settings/load-config.ts'
import { locateInConfig } from '../settings/plan-config.ts'
import { findConfigIssues } from '../settings/validate-config.ts'

/** The result of applying a config file to a local server. */
export interface AppliedConfig extends SettingsApplied {
  readonly projectKey: string
  /** The integrations that were left out because environment variables for their secrets are not set. */
  readonly omitted: readonly string[]
}

type Secret = NonNullable<IntegrationConfig['secrets']>[string]

const isSet = (secret: Secret, env: Io['env']): boolean =>
  typeof secret['env'] === 'string' ? Boolean(env[secret['env']]) : Object.values(secret).every((part) => isSet(part as Secret, env))

const firstOf = (path: string, issues: readonly { pointer: string; message: string }[], command: string): CliError => {
  const [first, ...others] = issues
  const more = others.length > 0 ? ` And ${others.length} more: run ${command}.` : ''
  return new CliError(`${path} is not valid: ${first?.pointer || '/'}  ${first?.message}${more}`)
}

/**
 * Loads a config file and makes the project on a local server match it. Deletes resources that the file no longer
 * contains.
 *
 * @throws {CliError} When the file cannot be loaded or is not valid. For an invalid file, the message contains only the first
 * issue and the number of others.
 */
export const applyDevConfig = async (
  file: string | undefined,
  { flowpost, io }: { readonly flowpost: Flowpost; readonly io: Pick<Io, 'env' | 'workingFolder' | 'signal'> },
): Promise<AppliedConfig> => {
  const { path, value } = await loadConfig(file, io.workingFolder)
  const issues = findConfigIssues(value)
  if (issues.length > 0) throw firstOf(path, issues, 'flowpost validate')
  const config = value as Config
  const entries = Object.entries(config.integrations ?? {})
  // Integrations with missing secrets are left out, because the server would reject them. No credential is needed, because every
  // message is captured.
  const complete = entries.filter(([, { secrets = {} }]) => Object.values(secrets).every((secret) => isSet(secret, io.env)))
  const omitted = entries.filter((entry) => !complete.includes(entry)).map(([sourceType]) => sourceType)
  const local: Config = config.integrations ? { ...config, integrations: Object.fromEntries(complete) } : config
  const document = { ...toDocument(local, io.env, () => true), prune: true }
  try {
    return { ...(await flowpost.settings.apply(document, { signal: io.signal })), projectKey: config.project.key, omitted }
  } catch (error) {
    const located = locateInConfig(error, document)
    if (isFlowpostError(located) && located.errors.length > 0) throw firstOf(path, located.errors, 'flowpost plan')
    throw error
  }
}
