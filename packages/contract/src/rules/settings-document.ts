import type { z } from 'zod'
import { maxSettingsFlows, type SettingsApply, type SettingsDocument } from '../settings-document.ts'
import { ApiError } from './api-error.ts'
import { requireMatch } from './entity-tags.ts'
import { toCanonicalJson } from './idempotency.ts'
import { type CollectionPlan, type PlannedChange, planCollection, planFields } from './plan-settings.ts'
import { type FindFlowWarnings, findSettingsWarnings, notInDocument, type SettingsWarning } from './settings-checks.ts'
import { type GivenEndpoint, planEndpoints, type StoredEndpoint, toEndpointDocument } from './settings-endpoints.ts'

/** A parsed settings document. */
export type SettingsBody = z.output<typeof SettingsApply>
type GivenFlow = SettingsBody['flows'][number]
type GivenIntegration = NonNullable<SettingsBody['integrations']>[number]
/** The fields of a flow in a document, without its key. */
export type FlowFields = Omit<GivenFlow, 'key'>

/** The stored settings of a project. `F`, `I` and `E` are the caller's types of stored flows, integrations and event endpoints. */
export interface StoredSettings<F, I, E> {
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
  /** The event endpoints that have a key. */
  readonly endpoints: readonly StoredEndpoint<E>[]
  /** The number of flows without a key. */
  readonly flowsWithoutKey: number
  /** The number of event endpoints without a key. */
  readonly endpointsWithoutKey: number
}

/** Stored settings, with any types of stored resources. */
type AnySettings = StoredSettings<unknown, unknown, unknown>

/** The changes that are needed to apply a document. */
export interface SettingsPlan<F, I, E> {
  readonly project: 'create' | 'update' | 'none'
  readonly flows: CollectionPlan<GivenFlow, F>
  readonly integrations: CollectionPlan<GivenIntegration, I>
  readonly endpoints: CollectionPlan<GivenEndpoint, E>
  readonly changes: readonly PlannedChange[]
  readonly warnings: SettingsWarning[]
}

const byCodeUnits = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** Returns a flow's fields as they appear in a document, without the key. Omits all other properties. */
export const fieldsOf = ({
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

/** Returns an object's fields, keyed by JSON Pointer (RFC 6901). */
export const byPointer = (fields: object, prefix = ''): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [`${prefix}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`, value]),
  )

/** Converts stored settings to a document. Flows and event endpoints are ordered by key, and integrations by provider. */
export const toSettingsDocument = ({ project, flows, integrations, endpoints }: AnySettings): z.output<typeof SettingsDocument> => ({
  project: { key: project.key, name: project.name },
  flows: [...flows].sort((a, b) => byCodeUnits(a.key, b.key)).map((flow) => ({ key: flow.key, ...fieldsOf(flow) })),
  integrations: [...integrations]
    .sort((a, b) => byCodeUnits(a.source_type, b.source_type))
    .map(({ source_type, settings }) => ({ source_type, settings: { ...settings } })),
  event_endpoints: [...endpoints].sort((a, b) => byCodeUnits(a.key, b.key)).map((endpoint) => toEndpointDocument(endpoint)),
})

/**
 * Returns the text from which the digest of the settings is computed. Pass `undefined` for a project that does not
 * exist.
 */
export const settingsDigestInput = (stored: AnySettings | undefined): string => toCanonicalJson(stored ? toSettingsDocument(stored) : null)

/** Returns the error for a project that has too many flows, or too much template text, for one document. */
export const settingsTooLarge = (): ApiError =>
  new ApiError(
    'settings_too_large',
    `The project has more than ${maxSettingsFlows.toLocaleString('en')} flows with a key, or their templates exceed 4 MiB in total.`,
  )

/** Describes the latest change to the stored resources. Cannot detect deletions, because deleted resources are not stored. */
const describeLatestChange = ({ project, flows, integrations, endpoints }: AnySettings): string => {
  const changes = [
    { what: 'the project', at: project.updated_at },
    ...flows.map(({ key, updated_at }) => ({ what: `the flow \`${key}\``, at: updated_at })),
    ...integrations.map(({ source_type, updated_at }) => ({ what: `the integration \`${source_type}\``, at: updated_at })),
    ...endpoints.map(({ key, updated_at }) => ({ what: `the event endpoint \`${key}\``, at: updated_at })),
  ]
  const latest = changes.reduce((a, b) => (b.at >= a.at ? b : a))
  return `Apart from deletions, the latest change was made to ${latest.what} at ${latest.at}.`
}

/**
 * Rejects a document if the request's `If-Match` does not match the current settings.
 * @throws ApiError `etag_mismatch`, with an explanation.
 */
export const requireSettingsMatch = (
  ifMatch: string | null | undefined,
  stored: AnySettings | undefined,
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

/**
 * Compares a document with the stored settings, and returns the changes that are needed to apply the document.
 * @param stored The stored settings; `undefined` if the project does not exist.
 * @param rules.canonicalizeTarget Returns the canonical form of a flow's target.
 */
export const planSettings = <F, I, E>(
  stored: StoredSettings<F, I, E> | undefined,
  body: SettingsBody,
  rules: { readonly canonicalizeTarget: (flow: GivenFlow) => string; readonly findWarnings: FindFlowWarnings },
): SettingsPlan<F, I, E> => {
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
    // A document without `integrations` leaves them as they are.
    body.prune && body.integrations !== undefined,
  )
  const { endpointsWithoutKey = 0, flowsWithoutKey = 0 } = stored ?? {}
  const endpoints = planEndpoints(body.event_endpoints, { endpoints: stored?.endpoints ?? [], withoutKey: endpointsWithoutKey }, body.prune)
  const { key, name } = body.project
  const id = stored?.project.id ?? null
  const project: readonly PlannedChange[] = stored
    ? planFields({ kind: 'project', key, id }, '/project', { fields: { '/name': stored.project.name } }, { fields: { '/name': name } })
    : [{ action: 'create', kind: 'project', key, id, pointer: '/project', after: { key, name } }]
  const unlisted = [
    ...flows.unlisted.map((missing) => notInDocument('/flows', `The flow \`${missing}\``)),
    ...(body.integrations ? integrations.unlisted : []).map((missing) => notInDocument('/integrations', `The integration \`${missing}\``)),
    ...endpoints.unlisted.map((missing) => notInDocument('/event_endpoints', `The event endpoint \`${missing}\``)),
  ]
  // A document without `event_endpoints` leaves them as they are, so there is no warning about them.
  const unnamed = { flowsWithoutKey, endpointsWithoutKey: body.event_endpoints ? endpointsWithoutKey : 0 }
  return {
    project: (project[0]?.action ?? 'none') as 'create' | 'update' | 'none',
    flows,
    integrations,
    endpoints,
    changes: [...project, ...flows.changes, ...integrations.changes, ...endpoints.changes],
    warnings: [...findSettingsWarnings(given, unnamed, rules.findWarnings), ...unlisted],
  }
}

/**
 * Returns JSON Pointers to the secrets that an integration in a document sets or removes. A secret that the document
 * sets always counts as changed, even if the same value is already stored.
 */
const changedSecrets = ({ source_type, secrets = {} }: GivenIntegration, stored: AnySettings | undefined): string[] => {
  const names = stored?.integrations.find((integration) => integration.source_type === source_type)?.secretNames ?? []
  return Object.keys(
    byPointer(Object.fromEntries(Object.entries(secrets).filter(([name, value]) => value !== null || names.includes(name))), '/secrets'),
  )
}
