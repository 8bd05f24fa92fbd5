import type { EventType } from '../event-types.ts'
import { toJsonPointer } from './field-errors.ts'
import { isEqual } from './plan-settings.ts'
import { byPointer, type FlowFields, fieldsOf } from './settings-document.ts'
import { type GivenEndpoint, toEndpointDocument } from './settings-endpoints.ts'

/** A resource's settings as the history records them, with the API's field names and without secret values. */
export type RecordedSettings = Readonly<Record<string, unknown>>

/** The kind of a resource whose changes are recorded. */
export type RecordedKind = 'project' | 'flow' | 'integration' | 'event_endpoint'

type OptionalKey<T> = Omit<T, 'key'> & { readonly key: string | null }

/** Converts a project to the settings that the history records. */
export const recordedProject = ({ key, name }: { readonly key: string | null; readonly name: string }): RecordedSettings => ({ key, name })

/** Converts a flow to the settings that the history records. */
export const recordedFlow = (flow: FlowFields & { readonly key: string | null }): RecordedSettings => ({
  key: flow.key,
  ...fieldsOf(flow),
})

/** Converts an integration to the settings that the history records: the names of its secrets, but not their values. */
export const recordedIntegration = (integration: {
  readonly source_type: string
  readonly settings: Readonly<Record<string, unknown>>
  readonly secretNames: readonly string[]
}): RecordedSettings => ({
  source_type: integration.source_type,
  settings: integration.settings,
  secrets: Object.fromEntries([...integration.secretNames].sort().map((name) => [name, { set: true }])),
})

/** Converts an event endpoint to the settings that the history records, without its signing secret. */
export const recordedEndpoint = (
  endpoint: OptionalKey<Omit<GivenEndpoint, 'events'>> & { readonly events: readonly EventType[] },
): RecordedSettings => ({ ...toEndpointDocument({ ...endpoint, key: '' }), key: endpoint.key })

const isFields = (value: unknown): value is RecordedSettings => typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns the fields, keyed by JSON Pointer. In an integration, each setting and each secret is a separate field. */
const flatten = (settings: RecordedSettings): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(byPointer(settings)).flatMap(([pointer, value]) =>
      isFields(value) ? Object.entries(byPointer(value, pointer)) : [[pointer, value]],
    ),
  )

/**
 * Returns JSON Pointers to the secrets that an integration request sets.
 * @param secrets The secrets in the request. The value `null` means that the request removes the secret. The result omits
 * these secrets.
 */
export const secretFieldsOf = (secrets: Readonly<Record<string, unknown>> = {}): string[] =>
  Object.entries(secrets).flatMap(([name, value]) => (value === null ? [] : [toJsonPointer(['secrets', name])]))

/**
 * Returns JSON Pointers to the fields that differ between `before` and `after`, followed by `secretFields`, without
 * duplicates.
 * @param secretFields JSON Pointers to secrets that are set by the request, such as `/secrets/password`, or `/secret`
 * for an event endpoint's signing secret. These secrets count as changed, because their values are not compared.
 */
export const changedFields = (before: RecordedSettings, after: RecordedSettings, secretFields: readonly string[] = []): string[] => {
  const [old, current] = [flatten(before), flatten(after)]
  const names = [...new Set([...Object.keys(old), ...Object.keys(current)])]
  return [...new Set([...names.filter((name) => !isEqual(old[name], current[name])), ...secretFields])]
}
