import { checkJson } from './check-json.ts'
import { type Checker, type ConfigIssue, checkBoolean, checkText, createChecker } from './config-issue.ts'
import { type Config, isReference } from './config-types.ts'

/** Matches a valid key of a project, a flow or an event endpoint. */
export const keyPattern = /^[a-z0-9][a-z0-9-]{0,63}$/
const sourceTypePattern = /^[a-z][a-z0-9-]{0,63}$/
const maxNameLength = 255
const maxTargetLength = 1_000
const maxTemplateLength = 100_000
const maxPlaceholders = 32
const maxUrlLength = 2_048
const maxEndpoints = 20
const eventTypePattern = /^[a-z_]+\.[a-z_]+$/

const checkKey = (checker: Checker, key: unknown): void => {
  if (typeof key !== 'string' || !keyPattern.test(key))
    checker.report('is not a valid key. A key has up to 64 lower-case letters, digits and hyphens, and does not start with a hyphen.')
}

/** Checks a name after trimming it and normalizing it to Unicode NFC, as the server does. */
const checkName = (checker: Checker): void => {
  const { value } = checker
  const name = checkText(typeof value === 'string' ? checker.withValue(value.trim().normalize('NFC')) : checker, maxNameLength)
  if (name !== undefined && /\p{Cc}/u.test(name)) checker.report('must not contain control characters.')
}

const checkTemplate = (flow: Checker): void => {
  const template = flow.field('message_template')
  const type = flow.field('message_template_type')
  if (type.value !== undefined && type.value !== 'text/plain' && type.value !== 'text/html')
    type.report('must be "text/plain" or "text/html".')
  if (template.value === undefined) return
  const isHtml = typeof template.value === 'object'
  if (isHtml && template.names() === undefined) return
  if (isHtml) template.allow('html')
  if (isHtml && type.value === 'text/plain') type.report('must not be "text/plain", because the template is HTML.')
  const text = checkText(isHtml ? template.field('html') : template, maxTemplateLength)
  const count = text?.match(/\{\{(?:subject|message)\}\}/g)?.length ?? 0
  if (count > maxPlaceholders) template.report(`has ${count} placeholders; at most ${maxPlaceholders} are permitted.`)
}

const checkFlow = (flow: Checker): void => {
  if (flow.names() === undefined) return
  flow.allow('name', 'active', 'source_type', 'target', 'override_target', 'message_template', 'message_template_type')
  if (flow.field('name').value !== undefined) checkName(flow.field('name'))
  checkBoolean(flow.field('active'))
  checkBoolean(flow.field('override_target'))
  const sourceType = checkText(flow.field('source_type'), 64)
  if (sourceType && !sourceTypePattern.test(sourceType)) flow.field('source_type').report('must be the name of a provider, such as "smtp".')
  const target = checkText(flow.field('target'), maxTargetLength)
  const isEmail = sourceType === 'smtp' || sourceType === 'mailgun'
  // The server knows each provider's exact rules. This check finds only addresses that are certainly wrong.
  if (target && isEmail && !/^[^\s@]+@[^\s@]+$/.test(target))
    flow.field('target').report('must be an email address, such as "ops@example.com".')
  checkTemplate(flow)
}

const checkReference = (reference: Checker): void => {
  reference.allow('env')
  const env = reference.field('env')
  const variable = checkText(env, 255)
  if (variable && !/^[A-Za-z_][A-Za-z0-9_]*$/.test(variable)) env.report('must be the name of an environment variable.')
}

const checkSecret = (secret: Checker, ancestors: readonly unknown[] = []): void => {
  const { value } = secret
  if (typeof value !== 'object' || value === null)
    secret.report('must be { env: "NAME" }. Put the secret in an environment variable, not in the file.')
  else if (ancestors.includes(value)) secret.report('must not contain itself.')
  else {
    const names = secret.names()
    if (names && isReference(value)) checkReference(secret)
    else for (const name of names ?? []) checkSecret(secret.field(name), [...ancestors, value])
  }
}

const checkIntegration = (integration: Checker): void => {
  if (integration.names() === undefined) return
  integration.allow('settings', 'secrets')
  const settings = integration.field('settings')
  if (settings.value !== undefined && settings.names() !== undefined) checkJson(settings)
  const secrets = integration.field('secrets')
  if (secrets.value !== undefined) for (const name of secrets.names() ?? []) checkSecret(secrets.field(name))
}

const isEndpointUrl = (text: string): boolean => {
  if (!URL.canParse(text)) return false
  const { protocol, username, password, hash } = new URL(text)
  return (protocol === 'https:' || protocol === 'http:') && username === '' && password === '' && hash === ''
}

const checkEvents = (events: Checker): void => {
  const { value } = events
  if (!Array.isArray(value) || value.length === 0) {
    events.report('must be a list of event types, such as ["delivery.failed"].')
    return
  }
  for (const type of value)
    if (typeof type !== 'string' || !eventTypePattern.test(type)) {
      events.report('must contain only event types, such as "delivery.failed". There is no wildcard.')
      return
    }
}

const checkEndpoint = (endpoint: Checker): void => {
  if (endpoint.names() === undefined) return
  endpoint.allow('url', 'events', 'active', 'description')
  const url = endpoint.field('url')
  if (url.value !== undefined && url.value !== null) {
    const text = checkText(url, maxUrlLength)
    if (text !== undefined && !isEndpointUrl(text)) url.report('must be an HTTP or HTTPS URL without a user, password or fragment.')
  }
  checkEvents(endpoint.field('events'))
  checkBoolean(endpoint.field('active'))
  const description = endpoint.field('description')
  const isEmpty = typeof description.value === 'string' && description.value.trim() === ''
  if (description.value !== undefined && !isEmpty) checkName(description)
}

const checkEndpoints = (endpoints: Checker): void => {
  const keys = endpoints.names() ?? []
  if (keys.length > maxEndpoints) endpoints.report(`has ${keys.length} event endpoints; at most ${maxEndpoints} are permitted.`)
  for (const key of keys) {
    checkKey(endpoints.field(key), key)
    checkEndpoint(endpoints.field(key))
  }
}

/** Finds probable mistakes in a valid config: misspelled placeholders, which are sent unchanged. */
export const findConfigWarnings = ({ flows }: Config): ConfigIssue[] =>
  Object.entries(flows).flatMap(([key, { message_template: template = '' }]) => {
    const text = typeof template === 'string' ? template : template.html
    const placeholders = new Set(text.match(/\{\{\s*(?:subject|message)\s*\}\}/gi))
    const misspelled = [...placeholders].filter((found) => !/^\{\{[a-z]+\}\}$/.test(found))
    return misspelled.map((placeholder) => ({
      pointer: `/flows/${key}/message_template`,
      message: `contains ${placeholder}, which is sent unchanged. Write {{subject}} or {{message}}.`,
    }))
  })

/** Returns the issues in a config that can be detected without a server. */
export const findConfigIssues = (config: unknown): ConfigIssue[] => {
  const issues: ConfigIssue[] = []
  const root = createChecker(config, issues)
  if (root.names() === undefined) return issues
  root.allow('project', 'flows', 'integrations', 'event_endpoints')
  const project = root.field('project')
  if (project.names() !== undefined) {
    project.allow('key', 'name')
    checkKey(project.field('key'), project.field('key').value)
    checkName(project.field('name'))
  }
  const flows = root.field('flows')
  for (const key of flows.names() ?? []) {
    checkKey(flows.field(key), key)
    checkFlow(flows.field(key))
  }
  const integrations = root.field('integrations')
  if (integrations.value !== undefined)
    for (const sourceType of integrations.names() ?? []) checkIntegration(integrations.field(sourceType))
  const endpoints = root.field('event_endpoints')
  if (endpoints.value !== undefined) checkEndpoints(endpoints)
  return issues
}
