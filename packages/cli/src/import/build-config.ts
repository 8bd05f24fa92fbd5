import { randomBytes } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { CliError } from '../cli-error.ts'
import { toVariableName } from '../settings/config-source.ts'
import type { Config, FlowConfig, SecretReference } from '../settings/config-types.ts'
import { findConfigIssues } from '../settings/validate-config.ts'
import type { ImportedPart, ImportedService } from './imported-service.ts'
import { toKey, uniqueKey } from './keys.ts'

/** An environment variable that holds a secret. */
export interface ImportedVariable {
  readonly name: string
  /** The secret. If the source does not contain it, a signing secret is generated, and any other secret is `undefined`. */
  readonly value: string | undefined
}

/** A part of the source that was imported only partly or not at all. */
export interface ImportIssue {
  readonly origin: string
  readonly reason: string
}

/** The result of an import: the config, its environment variables, and the issues. */
export interface ImportedConfig {
  readonly config: Config
  readonly variables: readonly ImportedVariable[]
  readonly issues: readonly ImportIssue[]
}

interface Integration {
  readonly service: ImportedService
  readonly secrets: Record<string, SecretReference | Record<string, SecretReference>>
}

const maxUrls = 100

const newSigningSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`

/** Collects the flows, integrations and variables of a project. */
class ConfigBuilder {
  readonly flows = new Map<string, { readonly flow: FlowConfig; readonly origin: string }>()
  readonly integrations = new Map<string, Integration>()
  readonly variables = new Map<string, string | undefined>()
  readonly issues: ImportIssue[] = []
  readonly #projectKey: string

  constructor(projectKey: string) {
    this.#projectKey = projectKey
  }

  add({ origin, labels, mapping }: ImportedPart): void {
    if ('reason' in mapping) {
      this.issues.push({ origin, reason: mapping.reason })
      return
    }
    const integration = this.#integrationOf(mapping)
    if (integration === undefined) {
      const reason = `A project can have only one ${mapping.sourceType} account. Import this account into another project.`
      this.issues.push({ origin, reason })
      return
    }
    const targets = mapping.url === undefined ? mapping.targets : [this.#nameUrl(mapping, mapping.url, integration)]
    for (const reason of mapping.losses) this.issues.push({ origin, reason })
    for (const target of targets) this.#addFlow(target, labels, mapping, origin)
  }

  #addFlow(target: string | undefined, labels: readonly string[], { sourceType, template }: ImportedService, origin: string): void {
    if (target === undefined) {
      this.issues.push({ origin, reason: `A ${sourceType} account can have at most ${maxUrls} URLs.` })
      return
    }
    const isDuplicate = [...this.flows.values()].some(({ flow }) => flow.source_type === sourceType && flow.target === target)
    if (isDuplicate) {
      this.issues.push({ origin, reason: `The config already has a flow for ${target}.` })
      return
    }
    const key = uniqueKey(toKey(target.startsWith(sourceType) ? target : `${sourceType} ${target}`), this.flows)
    const flow = {
      ...(labels.length > 0 && { name: `${target} (${labels.join(', ')})` }),
      source_type: sourceType,
      target,
      ...(template !== undefined && { message_template: template }),
    }
    this.flows.set(key, { flow, origin })
  }

  /**
   * Returns the project's integration for the service's provider. Creates the integration if it does not exist. Returns
   * `undefined` if it exists with other settings or secrets, because a project has only one integration for each provider.
   */
  #integrationOf(service: ImportedService): Integration | undefined {
    const { sourceType, settings, secrets } = service
    const existing = this.integrations.get(sourceType)
    if (existing) {
      const isSame = isDeepStrictEqual(existing.service.settings, settings) && isDeepStrictEqual(existing.service.secrets, secrets)
      return isSame ? existing : undefined
    }
    const created: Integration = { service, secrets: {} }
    for (const [name, value] of Object.entries(secrets))
      created.secrets[name] = this.#reference(name === 'signing_secret' ? (value ?? newSigningSecret()) : value, sourceType, name)
    this.integrations.set(sourceType, created)
    return created
  }

  /**
   * Adds a URL to the integration's secret `urls`, and returns the name of the URL, which a flow uses as its target.
   * Returns `undefined` if the secret already has the maximum number of URLs.
   */
  #nameUrl({ sourceType }: ImportedService, url: string, { secrets }: Integration): string | undefined {
    const urls = (secrets['urls'] ?? {}) as Record<string, SecretReference>
    const known = Object.entries(urls).find(([, { env }]) => this.variables.get(env) === url)?.[0]
    if (known !== undefined) return known
    const position = Object.keys(urls).length + 1
    if (position > maxUrls) return undefined
    const name = `${sourceType}-${position}`
    secrets['urls'] = { ...urls, [name]: this.#reference(url, sourceType, 'url', String(position)) }
    return name
  }

  #reference(value: string | undefined, ...parts: string[]): SecretReference {
    const env = toVariableName(this.#projectKey, ...parts)
    this.variables.set(env, value)
    return { env }
  }
}

const toConfig = (project: Config['project'], { flows, integrations }: ConfigBuilder): Config => ({
  project,
  flows: Object.fromEntries([...flows].map(([key, { flow }]) => [key, flow])),
  ...(integrations.size > 0 && {
    integrations: Object.fromEntries(
      [...integrations].map(([sourceType, { service, secrets }]) => [
        sourceType,
        { settings: service.settings, ...(Object.keys(secrets).length > 0 && { secrets }) },
      ]),
    ),
  }),
})

/** Removes flows that `flowpost validate` would reject, and adds an issue for each. */
const removeInvalid = (project: Config['project'], builder: ConfigBuilder): Config => {
  const config = toConfig(project, builder)
  const issues = findConfigIssues(config)
  for (const { pointer, message } of issues) {
    const [, key] = /^\/flows\/([^/]+)/.exec(pointer) ?? []
    if (key === undefined) throw new CliError(`The project is not valid: ${pointer} ${message}`)
    const invalid = builder.flows.get(key)
    if (invalid === undefined) continue
    builder.flows.delete(key)
    builder.issues.push({ origin: invalid.origin, reason: `${pointer.slice(`/flows/${key}/`.length)} ${message}` })
  }
  return issues.length === 0 ? config : toConfig(project, builder)
}

/**
 * Builds a valid project config from the parts of a source. Flows and fields that cannot be imported become issues.
 *
 * @throws {CliError} When a value outside the flows is not valid, such as the name of the project.
 */
export const buildConfig = (project: Config['project'], parts: readonly ImportedPart[]): ImportedConfig => {
  const builder = new ConfigBuilder(project.key)
  for (const part of parts) builder.add(part)
  const config = removeInvalid(project, builder)
  const variables = [...builder.variables].map(([name, value]) => ({ name, value }))
  return { config, variables, issues: builder.issues }
}
