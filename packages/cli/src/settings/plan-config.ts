import { type Flowpost, isFlowpostError, type SettingsApplied, type SettingsApply } from '@flowpost/client'
import type { Io } from '../io.ts'
import { type SecretName, secretNamesOf, toConfigPointer, toDocument } from './config-document.ts'
import type { Config } from './config-types.ts'

/** The changes that applying a config would make. */
export interface ConfigPlan extends SettingsApplied {
  /** The config's secrets that the server has and does not require again. Their values cannot be compared. */
  readonly storedSecrets: readonly SecretName[]
}

const idOf = ({ sourceType, name }: SecretName): string => `${sourceType} ${name}`

/** Returns the secrets that the server stores for the config's project. */
const readStoredSecrets = async (flowpost: Flowpost, { project }: Config, signal: AbortSignal): Promise<Set<string>> => {
  const stored = new Set<string>()
  // Looks up the project's id with a dry run. A document without flows and integrations is valid for every project.
  const { project_id } = await flowpost.settings.apply({ project, flows: [], dry_run: true }, { signal })
  if (project_id === null) return stored
  for await (const { source_type, secrets } of flowpost.integrations.list(project_id, { limit: 1000 }, { signal }))
    for (const name of Object.keys(secrets)) stored.add(idOf({ sourceType: source_type, name }))
  return stored
}

/** Returns the providers whose missing secrets caused an error, or no providers if the error has any other cause. */
const findRequired = (error: unknown, { integrations = [] }: SettingsApply): string[] => {
  if (!isFlowpostError(error) || error.code !== 'validation_failed') return []
  const indexes = error.errors.map(({ pointer, code }) =>
    code === 'required' ? /^\/integrations\/(\d+)\/secrets\//.exec(pointer)?.[1] : undefined,
  )
  return indexes.includes(undefined) ? [] : indexes.map((index) => integrations[Number(index)]?.source_type ?? '')
}

/** Converts the JSON Pointers in an error so that they refer to the config instead of the document. */
export const locateInConfig = (error: unknown, document: SettingsApply): unknown =>
  isFlowpostError(error)
    ? Object.assign(error, { errors: error.errors.map((issue) => ({ ...issue, pointer: toConfigPointer(issue.pointer, document) })) })
    : error

/** The options of {@link planConfig}. */
export interface PlanOptions {
  readonly io: Pick<Io, 'env' | 'signal'>
  readonly prune: boolean
  /** Whether to determine how the changes would have affected past notifications. This takes up to two seconds. */
  readonly consequences: boolean
}

/**
 * Determines the changes that applying a config would make. A secret in the request always counts as a change. The
 * request therefore contains only secrets that the server lacks, or requires again because their destination changes.
 */
export const planConfig = async (
  flowpost: Flowpost,
  config: Config,
  { io: { env, signal }, prune, consequences }: PlanOptions,
): Promise<ConfigPlan> => {
  const secrets = secretNamesOf(config)
  const stored = secrets.length === 0 ? new Set<string>() : await readStoredSecrets(flowpost, config, signal)
  const create = (required: readonly string[]) => ({
    ...toDocument(config, env, (secret) => !stored.has(idOf(secret)) || required.includes(secret.sourceType)),
    prune,
    dry_run: true,
    consequences,
  })
  const toPlan = (applied: SettingsApplied, required: readonly string[] = []): ConfigPlan => ({
    ...applied,
    storedSecrets: secrets.filter((secret) => stored.has(idOf(secret)) && !required.includes(secret.sourceType)),
  })
  const send = (document: SettingsApply) => flowpost.settings.apply(document, { signal })
  const document = create([])
  try {
    return toPlan(await send(document))
  } catch (error) {
    const required = findRequired(error, document)
    if (required.length === 0) throw locateInConfig(error, document)
    const complete = create(required)
    return await send(complete).then(
      (applied) => toPlan(applied, required),
      (next: unknown) => Promise.reject(locateInConfig(next, complete)),
    )
  }
}
