import type { z } from 'zod'
import { maxSettingsFlows, type SettingsApply, type SettingsDocument } from '../settings-document.ts'
import { ApiError, type BodyIssue } from './api-error.ts'
import { requireMatch } from './entity-tags.ts'
import { toCanonicalJson } from './idempotency.ts'
import { type CollectionPlan, type PlannedChange, planCollection, planFields } from './plan-settings.ts'

/** A parsed settings document. */
export type SettingsBody = z.output<typeof SettingsApply>
type GivenFlow = SettingsBody['flows'][number]
type GivenIntegration = NonNullable<SettingsBody['integrations']>[number]
type FlowFields = Omit<GivenFlow, 'key'>

/** The stored settings of a project. `F` and `I` are the stored forms of flows and integrations. */
export interface StoredSettings<F, I> {
  readonly project: { readonly id: string; readonly key: string | null; readonly name: string; readonly updated_at: string }
  /** The flows that have a key. */
  readonly flows: readonly (FlowFields & { readonly id: string; readonly key: string; readonly updated_at: string; readonly stored: F })[]
  readonly integrations: readonly {
    readonly source_type: string
    readonly settings: Readonly<Record<string, unknown>>
    readonly secretNames: readonly string[]
    readonly updated_at: string
    readonly stored: I
  }[]
  /** The number of flows without a key. */
  readonly flowsWithoutKey: number
}

/** A remark on settings, as in the API. */
interface Warning {
  readonly code: string
  readonly pointer: string
  readonly message: string
}

/** Finds probable mistakes in a flow. The pointers of the result are relative to the flow. */
export type FindFlowWarnings = (flow: FlowFields) => readonly Warning[]

/** The changes that apply a document. */
export interface SettingsPlan<F, I> {
  readonly project: 'create' | 'update' | 'none'
  readonly flows: CollectionPlan<GivenFlow, F>
  readonly integrations: CollectionPlan<GivenIntegration, I>
  readonly changes: readonly PlannedChange[]
  readonly warnings: Warning[]
}

const byCodeUnits = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

const fieldsOf = ({
  name,
  active,
  source_type,
  target,
  override_target,
  message_template,
  message_template_type,
}: FlowFields): FlowFields => ({
  name,
  active,
  source_type,
  target,
  override_target,
  message_template,
  message_template_type,
})

const byPointer = (fields: object, prefix = ''): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [`${prefix}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`, value]),
  )

/** Converts stored settings to a document. Flows are ordered by key, and integrations by provider. */
export const toSettingsDocument = ({
  project,
  flows,
  integrations,
}: StoredSettings<unknown, unknown>): z.output<typeof SettingsDocument> => ({
  project: { key: project.key, name: project.name },
  flows: [...flows].sort((a, b) => byCodeUnits(a.key, b.key)).map((flow) => ({ key: flow.key, ...fieldsOf(flow) })),
  integrations: [...integrations]
    .sort((a, b) => byCodeUnits(a.source_type, b.source_type))
    .map(({ source_type, settings }) => ({ source_type, settings: { ...settings } })),
})

/** Returns the text whose hash is the digest of settings. `undefined` stands for a project that does not exist. */
export const settingsDigestInput = (stored: StoredSettings<unknown, unknown> | undefined): string =>
  toCanonicalJson(stored ? toSettingsDocument(stored) : null)

/** Returns the error for a project with too many flows or too large templates to be a document. */
export const settingsTooLarge = (): ApiError =>
  new ApiError(
    'settings_too_large',
    `The project has more than ${maxSettingsFlows.toLocaleString('en')} flows with a key, or their templates have more than 4 MiB in total.`,
  )

/** Describes the latest change that the stored settings still show. */
const describeLatestChange = ({ project, flows, integrations }: StoredSettings<unknown, unknown>): string => {
  const changes = [
    { what: 'the project', at: project.updated_at },
    ...flows.map(({ key, updated_at }) => ({ what: `the flow \`${key}\``, at: updated_at })),
    ...integrations.map(({ source_type, updated_at }) => ({ what: `the integration \`${source_type}\``, at: updated_at })),
  ]
  const latest = changes.reduce((a, b) => (b.at >= a.at ? b : a))
  return `The latest visible change is that of ${latest.what}, at ${latest.at}.`
}

/**
 * Rejects a document whose `If-Match` does not match the current settings.
 * @throws ApiError `etag_mismatch`, with an explanation.
 */
export const requireSettingsMatch = (
  ifMatch: string | null | undefined,
  stored: StoredSettings<unknown, unknown> | undefined,
  etagOf: (text: string) => string,
): void => {
  const reject = (reason: string): never => {
    throw new ApiError('etag_mismatch', `${reason} Nothing was applied. Plan the changes again.`)
  }
  // RFC 9110, section 13.1.1: `*` does not match a resource that does not exist.
  if (!stored && ifMatch?.trim() === '*') reject('There is no project with this key.')
  try {
    requireMatch(ifMatch, () => etagOf(settingsDigestInput(stored)))
  } catch {
    reject(stored ? `The settings of the project have changed. ${describeLatestChange(stored)}` : 'There is no project with this key.')
  }
}

/** Finds the issues of a document that its schema cannot express: repeated keys, and those that the checks find in its parts. */
export const findSettingsIssues = (
  body: unknown,
  check: {
    readonly flow: (flow: object) => readonly BodyIssue[]
    readonly integration: (integration: object) => readonly BodyIssue[]
  },
): BodyIssue[] => {
  const { flows, integrations } = (body ?? {}) as { flows?: unknown; integrations?: unknown }
  return [
    ...findItemIssues('/flows', 'key', flows, check.flow),
    ...findItemIssues('/integrations', 'source_type', integrations, check.integration),
  ]
}

const findItemIssues = (pointer: string, key: string, list: unknown, check: (item: object) => readonly BodyIssue[]): BodyIssue[] => {
  const seen = new Set<unknown>()
  return (Array.isArray(list) ? list.slice(0, maxSettingsFlows) : []).flatMap((item: unknown, index) => {
    if (item === null || typeof item !== 'object') return []
    const value = (item as Record<string, unknown>)[key]
    const isRepeated = seen.has(value)
    seen.add(value)
    const issues = check(item).map((issue) => ({ ...issue, pointer: `${pointer}/${index}${issue.pointer}` }))
    if (!isRepeated || value === undefined) return issues
    const message = `An earlier entry has the same \`${key}\`. Each must be unique in the document.`
    return [...issues, { pointer: `${pointer}/${index}/${key}`, code: 'invalid_value' as const, message }]
  })
}

/** Returns the warnings on the flows of a document, and on the flows that have no key. */
export const findSettingsWarnings = (flows: readonly FlowFields[], flowsWithoutKey: number, findWarnings: FindFlowWarnings): Warning[] => {
  const warnings = flows.flatMap((flow, index) =>
    findWarnings(flow).map((warning) => ({ ...warning, pointer: `/flows/${index}${warning.pointer}` })),
  )
  if (flowsWithoutKey === 0) return warnings
  const count = flowsWithoutKey === 1 ? '1 flow has' : `${flowsWithoutKey} flows have`
  const message = `${count} no key, so the document does not contain them. Set their \`key\` with PATCH to include them.`
  return [...warnings, { code: 'flows_without_key', pointer: '/flows', message }]
}

/**
 * Compares a document with the stored settings, and returns the changes that apply it.
 * @param stored `undefined` if the project does not exist.
 * @param canonicalizeTarget Returns the canonical form of the target of a flow.
 */
export const planSettings = <F, I>(
  stored: StoredSettings<F, I> | undefined,
  body: SettingsBody,
  rules: { readonly canonicalizeTarget: (flow: GivenFlow) => string; readonly findWarnings: FindFlowWarnings },
): SettingsPlan<F, I> => {
  const given = body.flows.map((flow) => ({ ...flow, target: rules.canonicalizeTarget(flow) }))
  const flows = planCollection(
    { kind: 'flow', pointer: '/flows' },
    given.map((flow) => ({
      key: flow.key,
      fields: byPointer(fieldsOf(flow)),
      resource: { key: flow.key, ...fieldsOf(flow) },
      given: flow,
    })),
    (stored?.flows ?? []).map((flow) => ({
      key: flow.key,
      id: flow.id,
      fields: byPointer(fieldsOf(flow)),
      resource: { key: flow.key, ...fieldsOf(flow) },
      stored: flow.stored,
    })),
    body.prune,
  )
  const integrations = planCollection(
    { kind: 'integration', pointer: '/integrations' },
    (body.integrations ?? []).map((integration) => ({
      key: integration.source_type,
      fields: byPointer(integration.settings, '/settings'),
      resource: { source_type: integration.source_type, settings: integration.settings },
      secretFields: changedSecrets(integration, stored),
      given: integration,
    })),
    (stored?.integrations ?? []).map(({ source_type, settings, ...integration }) => ({
      key: source_type,
      id: null,
      fields: byPointer(settings, '/settings'),
      resource: { source_type, settings },
      stored: integration.stored,
    })),
    // Without the field, the document does not say anything about integrations.
    body.prune && body.integrations !== undefined,
  )
  const { key, name } = body.project
  const id = stored?.project.id ?? null
  const project: readonly PlannedChange[] = stored
    ? planFields({ kind: 'project', key, id }, '/project', { fields: { '/name': stored.project.name } }, { fields: { '/name': name } })
    : [{ action: 'create', kind: 'project', key, id, pointer: '/project', after: { key, name } }]
  const unlisted = [
    ...flows.unlisted.map((missing) => notInDocument('/flows', `The flow \`${missing}\``)),
    ...(body.integrations ? integrations.unlisted : []).map((missing) => notInDocument('/integrations', `The integration \`${missing}\``)),
  ]
  return {
    project: (project[0]?.action ?? 'none') as 'create' | 'update' | 'none',
    flows,
    integrations,
    changes: [...project, ...flows.changes, ...integrations.changes],
    warnings: [...findSettingsWarnings(given, stored?.flowsWithoutKey ?? 0, rules.findWarnings), ...unlisted],
  }
}

const notInDocument = (pointer: string, what: string): Warning => ({
  code: 'not_in_document',
  pointer,
  message: `${what} is not in the document. It stays as it is. Set \`prune\` to delete it.`,
})

/** Returns the pointers of the secrets that an integration of a document sets or removes. Given secrets count as changed. */
const changedSecrets = (
  { source_type, secrets = {} }: GivenIntegration,
  stored: StoredSettings<unknown, unknown> | undefined,
): string[] => {
  const names = stored?.integrations.find((integration) => integration.source_type === source_type)?.secretNames ?? []
  return Object.keys(
    byPointer(Object.fromEntries(Object.entries(secrets).filter(([name, value]) => value !== null || names.includes(name))), '/secrets'),
  )
}
