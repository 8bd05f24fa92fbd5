import type { Channel, TargetResult } from './channels/channel.ts'
import type { PlannableFlow } from './plannable-flow.ts'
import type { TargetEntry, TargetFault } from './target-list.ts'

/** Where an entry of an override goes. */
interface Route {
  /** The address as that provider reads it; `undefined` when the entry names another provider. */
  readonly resultFor: (sourceType: string) => TargetResult | undefined
  readonly error?: TargetFault
}

type ChannelOf = (sourceType: string) => Channel | undefined
type IdOf<Flow> = (flow: Flow) => string

/** The fault of an address that is not one of the provider that its entry names. */
export const addressFaults = (entry: TargetEntry, channelOf: ChannelOf): TargetFault[] => {
  if (entry.sourceType === undefined) return []
  const result = channelOf(entry.sourceType)?.parseTarget(entry.address)
  return !result || result.ok ? [] : [fault('invalid_target', `Entry ${entry.number} of the target: ${result.message}`)]
}

/**
 * Finds the flows that an entry reaches: those of the provider that it names, or of each provider that
 * recognizes its address. At fault when there is none, or one that does not allow an override.
 */
export const routeEntry = <Flow extends PlannableFlow>(
  entry: TargetEntry,
  active: readonly Flow[],
  { channelOf, idOf }: { readonly channelOf: ChannelOf; readonly idOf: IdOf<Flow> },
): Route => {
  const results = new Map<string, TargetResult | undefined>()
  const resultFor: Route['resultFor'] = (sourceType) => {
    if (entry.sourceType !== undefined && entry.sourceType !== sourceType) return undefined
    if (!results.has(sourceType)) results.set(sourceType, channelOf(sourceType)?.parseTarget(entry.address))
    return results.get(sourceType)
  }

  const reached = active.filter((flow) => resultFor(flow.source_type)?.ok)
  if (reached.length === 0) return { resultFor, error: fault('target_unroutable', unroutable(entry, results)) }
  const closed = reached.filter((flow) => !flow.override_target)
  if (closed.length === 0) return { resultFor }
  const message = `Entry ${entry.number} of the target reaches flows that allow no override: ${flowIds(closed, idOf)}. Name a flow_id to narrow it.`
  return { resultFor, error: fault('override_not_allowed', message) }
}

/** Why an entry reaches nothing, with what each provider says about a bare address. */
const unroutable = (entry: TargetEntry, results: ReadonlyMap<string, TargetResult | undefined>): string => {
  const start = `Entry ${entry.number} of the target reaches no active flow`
  if (entry.sourceType !== undefined) return `${start}: none delivers through "${entry.sourceType}".`
  const prefix = /^([a-z][a-z0-9_-]{0,31}):/i.exec(entry.address)?.[1]
  const reasons = [...results]
    .slice(0, 3)
    .map(([id, result]) => `${id}: ${result?.ok === false ? result.message : 'no such provider is registered.'}`)
  return [`${start}.`, ...(prefix ? [`No provider "${prefix}" is registered.`] : []), ...reasons].join(' ')
}

/** A few ids, so that a message stays short in a project with thousands of flows. */
export const flowIds = <Flow>(flows: readonly Flow[], idOf: IdOf<Flow>): string => {
  const first = flows.slice(0, 5).map(idOf)
  return flows.length > first.length ? `${first.join(', ')} and ${flows.length - first.length} more` : first.join(', ')
}

const fault = (code: TargetFault['code'], message: string): TargetFault => ({ pointer: '/target', code, message })
