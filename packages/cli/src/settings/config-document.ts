import type { SettingsApply } from '@flowpost/client'
import { CliError } from '../cli-error.ts'
import type { Io } from '../io.ts'
import { type Config, type EventEndpointConfig, type FlowConfig, type IntegrationConfig, isReference } from './config-types.ts'

/** The provider and name of a secret in a config. */
export interface SecretName {
  readonly sourceType: string
  readonly name: string
}

type Secret = NonNullable<IntegrationConfig['secrets']>[string]
type Variables = Io['env']

const toFlow = (key: string, flow: FlowConfig): SettingsApply['flows'][number] => {
  const { message_template: template = '{{message}}' } = flow
  const isHtml = typeof template === 'object'
  return {
    key,
    name: flow.name ?? key,
    active: flow.active ?? true,
    source_type: flow.source_type,
    target: flow.target,
    override_target: flow.override_target ?? false,
    message_template: isHtml ? template.html : template,
    message_template_type: isHtml ? 'text/html' : (flow.message_template_type ?? 'text/plain'),
  }
}

const toEndpoint = (key: string, { url = null, events, active = true, description = '' }: EventEndpointConfig) => ({
  key,
  url,
  events: [...events],
  active,
  description,
})

const hasVariable = (secret: Secret, variables: Variables): boolean =>
  isReference(secret) ? Boolean(variables[secret.env]) : Object.values(secret).every((part) => hasVariable(part, variables))

/** Returns whether the environment variables of all secrets of an integration are set. */
export const hasVariables = ({ secrets = {} }: IntegrationConfig, variables: Variables): boolean =>
  Object.values(secrets).every((secret) => hasVariable(secret, variables))

const readSecret = (secret: Secret, variables: Variables, missing: Set<string>): unknown => {
  if (!isReference(secret))
    return Object.fromEntries(Object.entries(secret).map(([name, part]) => [name, readSecret(part, variables, missing)]))
  const value = variables[secret.env]
  // CI systems set the variable of a missing secret to an empty string, so an empty string counts as missing.
  if (!value) missing.add(secret.env)
  return value
}

/** Returns the names of all secrets in a config. */
export const secretNamesOf = ({ integrations = {} }: Config): SecretName[] =>
  Object.entries(integrations).flatMap(([sourceType, { secrets = {} }]) => Object.keys(secrets).map((name) => ({ sourceType, name })))

/**
 * Converts a config to the API's settings document.
 *
 * @param includes Selects the secrets to include in the document. The server keeps all other secrets.
 * @throws {CliError} When the environment variable of a selected secret is not set.
 */
export const toDocument = (config: Config, variables: Variables, includes: (secret: SecretName) => boolean): SettingsApply => {
  const missing = new Set<string>()
  const integrations = Object.entries(config.integrations ?? {}).map(([sourceType, { settings = {}, secrets = {} }]) => {
    const included = Object.entries(secrets).filter(([name]) => includes({ sourceType, name }))
    const values = Object.fromEntries(included.map(([name, secret]) => [name, readSecret(secret, variables, missing)]))
    return { source_type: sourceType, settings, ...(included.length > 0 && { secrets: values }) }
  })
  if (missing.size > 0)
    throw new CliError(
      `Environment variables for secrets are not set: ${[...missing].join(', ')}.`,
      'Set these variables, or remove the secrets from the config file. Remove only secrets that the server already has.',
    )
  return {
    project: { key: config.project.key, name: config.project.name },
    flows: Object.entries(config.flows).map(([key, flow]) => toFlow(key, flow)),
    ...(config.integrations && { integrations }),
    ...(config.event_endpoints && {
      event_endpoints: Object.entries(config.event_endpoints).map(([key, endpoint]) => toEndpoint(key, endpoint)),
    }),
  }
}

/** The lists of a settings document, in their order. */
interface DocumentLists {
  readonly flows: readonly { readonly key: string }[]
  readonly integrations?: readonly { readonly source_type: string }[] | undefined
  readonly event_endpoints?: readonly { readonly key: string }[] | undefined
}

/** Converts a JSON Pointer for the settings document to one for the config, such as `/flows/0` to `/flows/ops-mail`. */
export const toConfigPointer = (pointer: string, { flows, integrations = [], event_endpoints: endpoints = [] }: DocumentLists): string =>
  pointer
    .replace(/^\/flows\/(\d+)/, (all, index: string) => (flows[Number(index)] ? `/flows/${flows[Number(index)]?.key}` : all))
    .replace(/^\/integrations\/(\d+)/, (all, index: string) =>
      integrations[Number(index)] ? `/integrations/${integrations[Number(index)]?.source_type}` : all,
    )
    .replace(/^\/event_endpoints\/(\d+)/, (all, index: string) =>
      endpoints[Number(index)] ? `/event_endpoints/${endpoints[Number(index)]?.key}` : all,
    )

/** Converts the JSON Pointers of warnings about the settings document so that they refer to the config. */
export const locateWarnings = <Warning extends { readonly pointer: string }>(
  warnings: readonly Warning[],
  document: DocumentLists,
): Warning[] => warnings.map((warning) => ({ ...warning, pointer: toConfigPointer(warning.pointer, document) }))
