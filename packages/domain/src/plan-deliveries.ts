import type { Channel, TargetResult } from './channels/channel.ts'
import type { PlannableFlow } from './plannable-flow.ts'
import type { Refusal } from './refusal.ts'
import { addressFaults, flowIds, routeEntry } from './route-entry.ts'
import { parseTargetList, type TargetFault } from './target-list.ts'

/** Most deliveries of a notification. */
export const maxDeliveries = 1000

/** A delivery to make. */
export interface PlannedDelivery {
  readonly flowId: string
  readonly sourceType: string
  /** The canonical form of the address. */
  readonly target: string
}

/** Why a flow is left out. */
export interface SkippedFlow {
  readonly flowId: string
  readonly reason: 'inactive' | 'not_targeted'
}

/** Why nothing is delivered. */
export interface RefusedPlan
  extends Refusal<
    | 'validation_failed'
    | 'no_active_flows'
    | 'flow_inactive'
    | 'integration_missing'
    | 'override_not_allowed'
    | 'target_unroutable'
    | 'too_many_deliveries'
  > {
  /** Every fault of the target; empty when the cause is not in the request. */
  readonly errors: readonly TargetFault[]
}

/** What a notification delivers where: all of it, or nothing. */
export type DeliveryPlan =
  | { readonly ok: true; readonly deliveries: readonly PlannedDelivery[]; readonly skipped: readonly SkippedFlow[] }
  | RefusedPlan

/** What to plan for. */
export interface PlanRequest {
  /** The candidates: all flows of the project, or the one that the request names. */
  readonly flows: readonly PlannableFlow[]
  /** Whether the request names the flow. */
  readonly named?: boolean
  /** The `target` of the request. */
  readonly override?: string | undefined
  /** The channel of a source type; `undefined` when no provider of the name is registered. */
  readonly channelOf: (sourceType: string) => Channel | undefined
}

/**
 * Decides what a notification delivers where. Checked in this order, and the first that fails refuses it:
 *
 * 1. `validation_failed`: the override cannot be read, or an address is not one of the provider it names.
 * 2. `flow_inactive` for a named flow, `no_active_flows` for a project.
 * 3. `integration_missing`: without an override, an active flow whose provider is no longer registered; with
 *    one, only when this is true of all active flows. Leaving such a flow out would be a silent loss.
 * 4. `override_not_allowed`: an entry reaches a flow that does not allow an override. `target_unroutable`: an
 *    entry reaches no active flow, or the default target of a flow is one that its provider no longer takes.
 *    Where both occur the code is `override_not_allowed`, and `errors` has both.
 * 5. `too_many_deliveries`: more than 1,000.
 *
 * Without an override each active flow delivers to its own target. With one, an entry reaches the active
 * flows of the provider that it names, or of every provider that recognizes its address, and a flow that no
 * entry reaches is skipped: its own target is never used. Addresses with the same key are merged within a
 * flow, the first one staying. The order is that of the flows, and within a flow that of the entries.
 */
export const planDeliveries = ({ flows, named = false, override, channelOf }: PlanRequest): DeliveryPlan => {
  const list = override === undefined ? undefined : parseTargetList(override, (id) => channelOf(id) !== undefined)
  const malformed = list ? [...list.errors, ...list.entries.flatMap((entry) => addressFaults(entry, channelOf))] : []
  if (malformed.length > 0) return refuse('validation_failed', malformed)

  const active = flows.filter((flow) => flow.active)
  if (active.length === 0 && named) return refuse('flow_inactive', [], 'The flow is not active.')
  if (active.length === 0) return refuse('no_active_flows', [], 'The project has no active flow.')
  const orphans = active.filter((flow) => !channelOf(flow.source_type))
  if (orphans.length > 0 && (!list || orphans.length === active.length)) return refuse('integration_missing', [], orphanDetail(orphans))

  const routes = list?.entries.map((entry) => routeEntry(entry, active, channelOf))
  const errors = routes ? routes.flatMap((route) => route.error ?? []) : active.flatMap((flow) => defaultFaults(flow, channelOf))
  if (errors.some((error) => error.code === 'override_not_allowed')) return refuse('override_not_allowed', errors)
  if (errors.length > 0) return refuse('target_unroutable', errors)

  const resultsFor = (flow: PlannableFlow): (TargetResult | undefined)[] =>
    routes ? routes.map((route) => route.resultFor(flow.source_type)) : [channelOf(flow.source_type)?.parseTarget(flow.target)]
  return collect(flows, resultsFor)
}

const collect = (flows: readonly PlannableFlow[], resultsFor: (flow: PlannableFlow) => (TargetResult | undefined)[]): DeliveryPlan => {
  const deliveries: PlannedDelivery[] = []
  const skipped: SkippedFlow[] = []
  let total = 0
  for (const flow of flows) {
    const targets = new Map<string, string>()
    for (const result of flow.active ? resultsFor(flow) : []) {
      if (result?.ok && !targets.has(result.key)) targets.set(result.key, result.target)
    }
    if (targets.size === 0) skipped.push({ flowId: flow.id, reason: flow.active ? 'not_targeted' : 'inactive' })
    total += targets.size
    if (total > maxDeliveries) continue
    for (const target of targets.values()) deliveries.push({ flowId: flow.id, sourceType: flow.source_type, target })
  }
  if (total <= maxDeliveries) return { ok: true, deliveries, skipped }
  return refuse('too_many_deliveries', [], `This would make ${total} deliveries; at most ${maxDeliveries} are allowed.`)
}

/** The fault of a default target that its provider took once, and takes no more. */
const defaultFaults = (flow: PlannableFlow, channelOf: PlanRequest['channelOf']): TargetFault[] => {
  const result = channelOf(flow.source_type)?.parseTarget(flow.target)
  if (!result || result.ok) return []
  const message = `The target of flow ${flow.id} is no longer valid. ${result.message}`
  return [{ pointer: '/target', code: 'target_unroutable', message }]
}

const orphanDetail = (orphans: readonly PlannableFlow[]): string => {
  const types = [...new Set(orphans.map((flow) => `"${flow.source_type}"`))].slice(0, 3)
  return `Active flows deliver through ${types.join(', ')}, for which no provider is registered: ${flowIds(orphans)}.`
}

const refuse = (code: RefusedPlan['code'], errors: readonly TargetFault[], detail?: string): RefusedPlan => ({
  ok: false,
  code,
  detail: detail ?? (errors.length === 1 ? (errors[0]?.message ?? '') : `The target has ${errors.length} faults.`),
  errors,
})
