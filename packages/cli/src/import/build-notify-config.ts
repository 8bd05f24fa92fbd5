import { CliError } from '../cli-error.ts'
import { toVariableName } from '../settings/config-source.ts'
import type { Config, FlowConfig, IntegrationConfig } from '../settings/config-types.ts'
import { findConfigIssues } from '../settings/validate-config.ts'
import type { ImportedConfig, ImportedVariable, ImportIssue } from './build-config.ts'
import { toKey, uniqueKey } from './keys.ts'
import type { ExportedFlow, ExportedProject } from './notify-export.ts'

const sourceTypes = ['smtp', 'mailgun', 'slack', 'discord', 'teams', 'webhook']
const flowFields = ['id', 'name', 'active', 'message_template', 'message_template_type', 'override_target', 'source_type', 'target']
const hostFields = ['host', 'port', 'security', 'user', 'from', 'reply_to']

/** Returns a project key for a name. A name without Latin letters or digits becomes `project`. */
export const projectKeyOf = (name: string): string => toKey(name, 'project')

const describeFlow = ({ name }: ExportedFlow, index: number): string =>
  typeof name === 'string' && name !== '' ? `flow "${name}"` : `flow ${index + 1}`

const toFlow = (flow: ExportedFlow, key: string, sourceType: string): Readonly<Record<string, unknown>> => ({
  ...(flow['name'] !== undefined && flow['name'] !== key && { name: flow['name'] }),
  ...(flow['active'] !== undefined && flow['active'] !== true && { active: flow['active'] }),
  source_type: sourceType,
  target: flow['target'],
  ...(flow['override_target'] !== undefined && flow['override_target'] !== false && { override_target: flow['override_target'] }),
  ...(flow['message_template'] !== undefined && { message_template: flow['message_template'] }),
  ...(flow['message_template_type'] !== undefined && { message_template_type: flow['message_template_type'] }),
})

/** Converts the export's first mail server to the `smtp` integration. */
const toMailIntegration = (
  hosts: readonly ExportedFlow[],
  projectKey: string,
): { integration?: IntegrationConfig; variables: ImportedVariable[]; issues: ImportIssue[] } => {
  const [host, ...others] = hosts
  const issues = others.map((other) => ({
    origin: `host ${String(other['host'])}`,
    reason: 'A project can have only one smtp account, so only the first host is used.',
  }))
  if (host === undefined || typeof host['host'] !== 'string' || typeof host['from'] !== 'string')
    return {
      variables: [],
      issues: [
        ...issues,
        {
          origin: 'smtp',
          reason: 'The first entry of "hosts" is missing, or it lacks "host" or "from". Add the integration `smtp` to the config.',
        },
      ],
    }
  const left = Object.keys(host).filter((name) => !hostFields.includes(name) && name !== 'password' && name !== 'id')
  if (left.length > 0)
    issues.push({ origin: `host ${host['host']}`, reason: `Fields without a counterpart in Flowpost are left out: ${left.join(', ')}.` })
  const settings = Object.fromEntries(hostFields.flatMap((name) => (host[name] === undefined ? [] : [[name, host[name]]])))
  const variable = {
    name: toVariableName(projectKey, 'smtp', 'password'),
    value: typeof host['password'] === 'string' ? host['password'] : undefined,
  }
  const hasLogin = typeof host['user'] === 'string'
  const integration = { settings, ...(hasLogin && { secrets: { password: { env: variable.name } } }) }
  return { integration, variables: hasLogin ? [variable] : [], issues }
}

/**
 * Builds a valid config from an exported project. Flows and fields that cannot be imported become issues.
 *
 * @param renamed Maps values of `source_type` in the export to providers.
 * @throws {CliError} When the project itself is not valid, for example because of its name.
 */
export const buildNotifyConfig = (
  project: ExportedProject,
  hosts: readonly ExportedFlow[],
  renamed: ReadonlyMap<string, string>,
  key: string,
): ImportedConfig => {
  const issues: ImportIssue[] = []
  const flows = new Map<string, unknown>()
  for (const [index, flow] of project.flows.entries()) {
    const origin = describeFlow(flow, index)
    const given = String(flow['source_type'] ?? '')
    const sourceType = renamed.get(given) ?? given
    if (!sourceTypes.includes(sourceType)) {
      issues.push({
        origin,
        reason: `The source type "${given}" is unknown. Specify its provider, for example with --source-type ${given || 'NAME'}=smtp.`,
      })
      continue
    }
    const flowKey = uniqueKey(toKey(String(flow['name'] ?? '')), flows)
    const converted = toFlow(flow, flowKey, sourceType)
    const found = findConfigIssues({ project: { key, name: project.name }, flows: { [flowKey]: converted } })
    const [issue] = found.filter(({ pointer }) => pointer.startsWith('/flows/'))
    if (issue) {
      issues.push({ origin, reason: `${issue.pointer.split('/').at(-1)} ${issue.message}` })
      continue
    }
    const left = Object.keys(flow).filter((name) => !flowFields.includes(name) && !/_at$|_id$/.test(name))
    if (left.length > 0) issues.push({ origin, reason: `Fields without a counterpart in Flowpost are left out: ${left.join(', ')}.` })
    flows.set(flowKey, converted)
  }
  const used = new Set([...flows.values()].map((flow) => (flow as FlowConfig).source_type as string))
  const integrations: Record<string, IntegrationConfig> = {}
  const variables: ImportedVariable[] = []
  if (used.has('smtp')) {
    const mail = toMailIntegration(hosts, key)
    issues.push(...mail.issues)
    variables.push(...mail.variables)
    if (mail.integration) integrations['smtp'] = mail.integration
  }
  if (used.has('slack')) {
    const name = toVariableName(key, 'slack', 'token')
    integrations['slack'] = { secrets: { token: { env: name } } }
    variables.push({ name, value: undefined })
  }
  for (const sourceType of ['mailgun', 'discord', 'teams', 'webhook'])
    if (used.has(sourceType))
      issues.push({ origin: sourceType, reason: 'The export has no account for this provider. Add the integration to the config.' })
  const config = {
    project: { key, name: project.name },
    flows: Object.fromEntries(flows) as Config['flows'],
    ...(Object.keys(integrations).length > 0 && { integrations }),
  }
  const [invalid] = findConfigIssues(config)
  if (invalid) throw new CliError(`The project ${key} is not valid: ${invalid.pointer} ${invalid.message}`)
  return { config, variables, issues }
}
