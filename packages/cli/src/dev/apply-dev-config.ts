import { type Flowpost, isFlowpostError, type SettingsApplied } from '@flowpost/client'
import { CliError } from '../cli-error.ts'
import type { Io } from '../io.ts'
import { locateWarnings, toDocument } from '../settings/config-document.ts'
import type { Config } from '../settings/config-types.ts'
import { loadConfig } from '../settings/load-config.ts'
import { locateInConfig } from '../settings/plan-config.ts'
import { findConfigIssues } from '../settings/validate-config.ts'
import { type LocalConfig, toLocalConfig } from './local-config.ts'

/** The result of applying a config file to a local server. */
export interface AppliedConfig extends SettingsApplied, Pick<LocalConfig, 'omitted' | 'detached'> {
  readonly projectKey: string
}

const firstOf = (path: string, issues: readonly { pointer: string; message: string }[], command: string): CliError => {
  const [first, ...others] = issues
  const more = others.length > 0 ? ` To list all ${issues.length} issues, run ${command}.` : ''
  return new CliError(`${path} is not valid: ${first?.pointer || '/'}  ${first?.message}${more}`)
}

/**
 * Loads a config file, adapts it with {@link toLocalConfig}, and makes the project on a local server match it. Deletes
 * resources that the file no longer contains.
 *
 * @throws {CliError} When the file cannot be loaded or is not valid. The message describes only the first issue.
 */
export const applyDevConfig = async (
  file: string | undefined,
  { flowpost, io }: { readonly flowpost: Flowpost; readonly io: Pick<Io, 'env' | 'workingFolder' | 'signal'> },
): Promise<AppliedConfig> => {
  const { path, value } = await loadConfig(file, io.workingFolder)
  const issues = findConfigIssues(value)
  if (issues.length > 0) throw firstOf(path, issues, 'flowpost validate')
  const { config, omitted, detached } = toLocalConfig(value as Config, io.env)
  const document = { ...toDocument(config, io.env, () => true), prune: true }
  try {
    const applied = await flowpost.settings.apply(document, { signal: io.signal })
    return { ...applied, warnings: locateWarnings(applied.warnings, document), projectKey: config.project.key, omitted, detached }
  } catch (error) {
    const located = locateInConfig(error, document)
    if (isFlowpostError(located) && located.errors.length > 0) throw firstOf(path, located.errors, 'flowpost plan')
    throw error
  }
}
