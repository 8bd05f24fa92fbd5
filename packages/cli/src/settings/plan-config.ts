import { type Flowpost, isFlowpostError, type SettingsApplied, type SettingsApply } from '@flowpost/client'
import type { Io } from '../io.ts'
import { type SecretName, secretNamesOf, toConfigPointer, toDocument } from './config-document.ts'
import type { Config } from './config-types.ts'

/** The changes that a config would make if it were applied. */
export interface ConfigPlan extends SettingsApplied {
  /**
   * The config's secrets that are not part of the plan. The server already stores them, but never returns a secret, so they
   * cannot be compared.
   */
  readonly storedSecrets: readonly SecretName[]
  /** Secrets that the server stores for the project, but that the config does not list. */
  readonly unlistedSecrets: readonly SecretName[]
}

const idOf = ({ sourceType, name }: SecretName): string => `${sourceType} ${name}`

/** Returns the secrets that the server stores for the config's project. */
const readStoredSecrets = async (flowpost: Flowpost, { project }: Config, signal: AbortSignal): Promise<SecretName[]> => {
  const stored: SecretName[] = []
  // Looks up the project's id with a dry run of a document that contains only the project. If the server rejects this document,
  // for example because the project's name is taken, it would reject the whole config too.
  const { project_id } = await flowpost.settings.apply({ project, flows: [], dry_run: true }, { signal })
  if (project_id === null) return stored
  for await (const { source_type, secrets } of flowpost.integrations.list(project_id, { limit: 1000 }, { signal }))
    for (const name of Object.keys(secrets)) stored.push({ sourceType: source_type, name })
  return stored
}

/** Returns the providers whose missing secrets caused an error, or no providers if the error has another cause. */
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

/**
 * Makes the JSON Pointers in a server error refer to the config. The server can require a stored secret again. If the config
 * does not list this secret, the error also explains what to do.
 */
export const explainRejection = (
  error: unknown,
  document: SettingsApply,
  { unlistedSecrets, storedSecrets }: Pick<ConfigPlan, 'unlistedSecrets' | 'storedSecrets'>,
): unknown => {
  if (!isFlowpostError(error)) return error
  const explain = ({ sourceType }: SecretName): string => {
    // `--keep-secrets` helps only if some of the `storedSecrets` belong to this provider. The server accepted the
    // plan's dry run, which left these secrets out. The error therefore occurs only because the document sets these secrets
    // again. With `--keep-secrets`, the document leaves them out too.
    const canKeep = storedSecrets.some((secret) => secret.sourceType === sourceType)
    const reason =
      'The file does not list this secret, but the server has stored it. These changes may send the secret to another destination, so the server requires it again.'
    return `${reason} List it in the file, or remove it from the server${canKeep ? ', or apply with --keep-secrets' : ''}.`
  }
  const errors = error.errors.map((issue) => {
    const [, index, name] = issue.code === 'required' ? (/^\/integrations\/(\d+)\/secrets\/([^/]+)$/.exec(issue.pointer) ?? []) : []
    const sourceType = document.integrations?.[Number(index)]?.source_type
    const unlisted = unlistedSecrets.find((secret) => secret.sourceType === sourceType && secret.name === name)
    return unlisted ? { ...issue, message: explain(unlisted) } : issue
  })
  return locateInConfig(Object.assign(error, { errors }), document)
}

/**
 * Checks with a dry run that the server accepts the document. The plan is not enough, because {@link planConfig} leaves out
 * the secrets in `storedSecrets`. The document contains these secrets, and the server may reject the document because of them.
 *
 * @throws {FlowpostError} When the server rejects the document.
 */
export const checkDocument = async (
  flowpost: Flowpost,
  document: SettingsApply,
  { plan, signal }: { readonly plan: ConfigPlan; readonly signal: AbortSignal },
): Promise<void> => {
  await flowpost.settings
    .apply({ ...document, dry_run: true }, { signal })
    .catch((error: unknown) => Promise.reject(explainRejection(error, document, plan)))
}

/** The options of {@link planConfig}. */
export interface PlanOptions {
  readonly io: Pick<Io, 'env' | 'signal'>
  readonly prune: boolean
  /** Whether to determine how the changes would have affected past notifications. This takes up to two seconds. */
  readonly consequences: boolean
}

/**
 * Finds out with a dry run what would change if the config were applied. The dry run omits secrets that the server
 * already stores, because a secret in a request always counts as a change. If the server requires stored secrets again,
 * because the changes may send them to another destination, a second dry run includes these secrets.
 */
export const planConfig = async (
  flowpost: Flowpost,
  config: Config,
  { io: { env, signal }, prune, consequences }: PlanOptions,
): Promise<ConfigPlan> => {
  const secrets = secretNamesOf(config)
  const listed = new Set(secrets.map(idOf))
  const hasIntegrations = Object.keys(config.integrations ?? {}).length > 0
  const storedSecrets = hasIntegrations ? await readStoredSecrets(flowpost, config, signal) : []
  const stored = new Set(storedSecrets.map(idOf))
  const unlistedSecrets = storedSecrets.filter((secret) => !listed.has(idOf(secret)))
  const create = (required: readonly string[]) => ({
    ...toDocument(config, env, (secret) => !stored.has(idOf(secret)) || required.includes(secret.sourceType)),
    prune,
    dry_run: true,
    consequences,
  })
  const toPlan = (applied: SettingsApplied, required: readonly string[] = []): ConfigPlan => ({
    ...applied,
    storedSecrets: secrets.filter((secret) => stored.has(idOf(secret)) && !required.includes(secret.sourceType)),
    unlistedSecrets,
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
      (next: unknown) => Promise.reject(explainRejection(next, complete, { unlistedSecrets, storedSecrets: [] })),
    )
  }
}
