import type { Channel, TargetResult } from '../channels/channel.ts'
import type { PlannableFlow } from './plannable-flow.ts'
import type { TargetEntry, TargetIssue } from './target-list.ts'

/** The result of matching one entry of a target override against the flows. */
interface Route {
  /**
   * Parses the entry's address for a provider. Returns `undefined` if the entry names a different provider, or if the
   * provider is not registered.
   */
  readonly resultFor: (sourceType: string) => TargetResult | undefined
  readonly error?: TargetIssue
}

type ChannelOf = (sourceType: string) => Channel | undefined
type IdOf<Flow> = (flow: Flow) => string

/** A flow that does not allow overrides. */
interface LockedFlow<Flow> {
  readonly flow: Flow
  /** The flow's position in the list of all active flows. */
  readonly position: number
}

/**
 * The active flows that do not allow overrides, keyed by `source_type`. If all active flows with a `source_type` allow
 * overrides, the list for that `source_type` is empty.
 */
export type LockedFlows<Flow> = ReadonlyMap<string, readonly LockedFlow<Flow>[]>

/**
 * Groups the active flows by provider, and omits flows that allow overrides. The flows are grouped because a project may have
 * thousands of them: {@link routeEntry} compares each entry of a target override with a few providers instead of every flow.
 */
export const groupLockedFlows = <Flow extends PlannableFlow>(active: readonly Flow[]): LockedFlows<Flow> => {
  const groups = new Map<string, LockedFlow<Flow>[]>()
  for (const [position, flow] of active.entries()) {
    const group = groups.get(flow.source_type) ?? []
    groups.set(flow.source_type, group)
    if (!flow.override_target) group.push({ flow, position })
  }
  return groups
}

/**
 * Matches an entry against the active flows. An entry that names a provider matches the flows with that provider; any
 * other entry matches the flows with any provider that accepts the entry's address. The result has an `error` if no
 * flow matches, or if a matching flow does not allow overrides.
 */
export const routeEntry = <Flow extends PlannableFlow>(
  entry: TargetEntry,
  lockedFlows: LockedFlows<Flow>,
  { channelOf, idOf }: { readonly channelOf: ChannelOf; readonly idOf: IdOf<Flow> },
): Route => {
  const results = new Map<string, TargetResult | undefined>()
  const resultFor: Route['resultFor'] = (sourceType) => {
    if (entry.sourceType !== undefined && entry.sourceType !== sourceType) return undefined
    if (!results.has(sourceType)) results.set(sourceType, channelOf(sourceType)?.parseTarget(entry.address))
    return results.get(sourceType)
  }

  const matchingGroups = [...lockedFlows].filter(([sourceType]) => resultFor(sourceType)?.ok).map(([, group]) => group)
  if (matchingGroups.length === 0) return { resultFor, error: toIssue('target_unroutable', explainUnroutable(entry, results)) }
  const lockedCount = matchingGroups.reduce((count, group) => count + group.length, 0)
  if (lockedCount === 0) return { resultFor }
  const firstOfGroups = matchingGroups.flatMap((group) => group.slice(0, maxListedFlows)).sort((a, b) => a.position - b.position)
  const flows = firstOfGroups.map(({ flow }) => flow)
  const message = `Entry ${entry.number} of the target matches flows whose override_target is false: ${listFlowIds(flows, idOf, lockedCount)}. Such flows send only to their own target. Set flow_id to a flow whose override_target is true.`
  return { resultFor, error: toIssue('override_not_allowed', message) }
}

/**
 * Explains why an entry matches no flow. If the entry names no provider, the explanation includes up to three providers,
 * each with the reason why it cannot be used for the entry's address.
 */
const explainUnroutable = (entry: TargetEntry, results: ReadonlyMap<string, TargetResult | undefined>): string => {
  const start = `Entry ${entry.number} of the target matches no active flow`
  if (entry.sourceType !== undefined) return `${start}: none uses the provider "${entry.sourceType}".`
  const prefix = /^([a-z][a-z0-9_-]{0,31}):/i.exec(entry.address)?.[1]
  const reasons = [...results]
    .slice(0, 3)
    .map(([id, result]) => `${id}: ${result?.ok === false ? result.message : 'this provider is not registered.'}`)
  return [`${start}.`, ...(prefix ? [`No provider "${prefix}" is registered.`] : []), ...reasons].join(' ')
}

const maxListedFlows = 5

/**
 * Lists the ids of up to five flows and counts the others, so that a message stays short in a project with thousands of flows.
 * @param count The total number of flows. Set it if `flows` contains only some of them.
 */
export const listFlowIds = <Flow>(flows: readonly Flow[], idOf: IdOf<Flow>, count: number = flows.length): string => {
  const first = flows.slice(0, maxListedFlows).map(idOf)
  return count > first.length ? `${first.join(', ')} and ${count - first.length} more` : first.join(', ')
}

const toIssue = (code: TargetIssue['code'], message: string): TargetIssue => ({ pointer: '/target', code, message })
