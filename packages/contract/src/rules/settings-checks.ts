import { maxEventEndpoints } from '../event-endpoint-resources.ts'
import { maxSettingsFlows, maxSettingsIntegrations } from '../settings-document.ts'
import type { BodyIssue } from './api-error.ts'
import { addPointerPrefix } from './field-errors.ts'
import type { FlowFields } from './settings-document.ts'

/** A warning about settings, in the form that the API returns. */
export interface SettingsWarning {
  readonly code: string
  readonly pointer: string
  readonly message: string
}

/** Finds probable mistakes in a flow. The returned pointers are relative to the flow. */
export type FindFlowWarnings = (flow: FlowFields) => readonly SettingsWarning[]

/**
 * Finds issues that the schema of a document cannot detect: repeated keys or source types, `consequences` without
 * `dry_run`, and the issues that `check` finds. Does not call `check.integration` for a repeated integration, because each call
 * may decrypt and validate stored secrets.
 */
export const findSettingsIssues = (
  body: unknown,
  check: {
    readonly flow: (flow: object) => readonly BodyIssue[]
    readonly integration: (integration: object) => readonly BodyIssue[]
  },
): BodyIssue[] => {
  const { flows, integrations, event_endpoints, dry_run, consequences } = (body ?? {}) as Readonly<Record<string, unknown>>
  const hasNoPlan = consequences === true && dry_run !== true
  return [
    ...(hasNoPlan ? [{ pointer: '/consequences', code: 'invalid_value' as const, message: 'Requires `dry_run`.' }] : []),
    ...findItemIssues({ pointer: '/flows', key: 'key', maxItems: maxSettingsFlows }, flows, check.flow),
    ...findItemIssues(
      { pointer: '/integrations', key: 'source_type', maxItems: maxSettingsIntegrations },
      integrations,
      (integration, isRepeated) => (isRepeated ? [] : check.integration(integration)),
    ),
    ...findItemIssues({ pointer: '/event_endpoints', key: 'key', maxItems: maxEventEndpoints }, event_endpoints, () => []),
  ]
}

/** A list in a document, with the field that identifies an item. */
interface ItemList {
  readonly pointer: string
  readonly key: string
  readonly maxItems: number
}

const findItemIssues = (
  { pointer, key, maxItems }: ItemList,
  list: unknown,
  check: (item: object, isRepeated: boolean) => readonly BodyIssue[],
): BodyIssue[] => {
  const seen = new Set<unknown>()
  return (Array.isArray(list) ? list.slice(0, maxItems) : []).flatMap((item: unknown, index) => {
    if (item === null || typeof item !== 'object') return []
    const value = (item as Record<string, unknown>)[key]
    const isRepeated = value !== undefined && seen.has(value)
    seen.add(value)
    const issues = check(item, isRepeated).map((issue) => addPointerPrefix(`${pointer}/${index}`, issue))
    if (!isRepeated) return issues
    const message = `An earlier entry in this list has the same \`${key}\`. Each entry needs a different one.`
    return [...issues, { pointer: `${pointer}/${index}/${key}`, code: 'invalid_value' as const, message }]
  })
}

/** The numbers of resources that have no key and therefore cannot be in a document. */
interface WithoutKey {
  readonly flowsWithoutKey: number
  readonly endpointsWithoutKey: number
}

/** Returns two kinds of warnings: those about a document's flows, and those about stored resources that have no key. */
export const findSettingsWarnings = (
  flows: readonly FlowFields[],
  { flowsWithoutKey, endpointsWithoutKey }: WithoutKey,
  findWarnings: FindFlowWarnings,
): SettingsWarning[] => {
  const warnings = flows.flatMap((flow, index) =>
    findWarnings(flow).map((warning) => ({ ...warning, pointer: `/flows/${index}${warning.pointer}` })),
  )
  return [
    ...warnings,
    ...withoutKey({ code: 'flows_without_key', pointer: '/flows', method: 'PATCH' }, flowsWithoutKey, 'flow'),
    ...withoutKey(
      { code: 'event_endpoints_without_key', pointer: '/event_endpoints', method: 'PUT' },
      endpointsWithoutKey,
      'event endpoint',
    ),
  ]
}

const withoutKey = (
  { code, pointer, method }: { code: string; pointer: string; method: string },
  count: number,
  noun: string,
): SettingsWarning[] => {
  if (count === 0) return []
  const which = count === 1 ? `1 ${noun} has` : `${count} ${noun}s have`
  const message = `${which} no key. Resources without a key are not in the document. Set \`key\` with ${method} to include them.`
  return [{ code, pointer, message }]
}

/** Returns the warning about a stored resource that is not in the document, but remains because `prune` is not set. */
export const notInDocument = (pointer: string, what: string): SettingsWarning => ({
  code: 'not_in_document',
  pointer,
  message: `${what} is not in the document. It stays as it is. Set \`prune\` to delete it.`,
})
