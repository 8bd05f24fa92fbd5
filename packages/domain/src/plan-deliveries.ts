import type { Channel, TargetResult } from './channels/channel.ts'
import { defaultTarget } from './default-target.ts'
import type { PlannableFlow } from './plannable-flow.ts'
import type { Refusal } from './refusal.ts'
import { addressFaults, flowIds, routeEntry } from './route-entry.ts'
import { parseTargetList, type TargetFault } from './target-list.ts'

/** Most deliveries of a notification. */
export const maxDeliveries = 1000

/** A flow that is delivered to. */
export interface RoutedFlow<Flow> {
  readonly flow: Flow
  /** The id of the flow as the wire has it. */
  readonly flowId: string
  /** The canonical forms of the addresses; at least one. */
  readonly targets: readonly string[]
}

/** A flow that is left out, and why. */
export interface SkippedFlow<Flow> {
  readonly flow: Flow
  /** The id of the flow as the wire has it. */
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
export type DeliveryPlan<Flow> =
  | { readonly ok: true; readonly routed: readonly RoutedFlow<Flow>[]; readonly skipped: readonly SkippedFlow<Flow>[] }
  | RefusedPlan

/** What planning needs to know beside the flows. */
export interface PlanDeps<Flow> {
  /** The id of a flow as the wire has it. */
  readonly idOf: (flow: Flow) => string
  /** The channel of a source type; `undefined` when no provider of the name is registered. */
  readonly channelOf: (sourceType: string) => Channel | undefined
}

/** What to plan for. */
export interface PlanRequest<Flow> extends PlanDeps<Flow> {
  /** The candidates: all flows of the project, or the one that the request names. */
  readonly flows: readonly Flow[]
  /** Whether the request names the flow. */
  readonly named?: boolean
  /** The `target` of the request. */
  readonly override?: string | undefined
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
export const planDeliveries = <Flow extends PlannableFlow>(request: PlanRequest<Flow>): DeliveryPlan<Flow> => {
  const { flows, named = false, override, idOf, channelOf } = request
  const list = override === undefined ? undefined : parseTargetList(override, (id) => channelOf(id) !== undefined)
  const malformed = list ? [...list.errors, ...list.entries.flatMap((entry) => addressFaults(entry, channelOf))] : []
  if (malformed.length > 0) return refuse('validation_failed', malformed)

  const active = flows.filter((flow) => flow.active)
  if (active.length === 0 && named) return refuse('flow_inactive', [], 'The flow is not active.')
  if (active.length === 0) return refuse('no_active_flows', [], 'The project has no active flow.')
  const orphans = active.filter((flow) => !channelOf(flow.source_type))
  if (orphans.length > 0 && (!list || orphans.length === active.length))
    return refuse('integration_missing', [], orphanDetail(orphans, idOf))

  const routes = list?.entries.map((entry) => routeEntry(entry, active, request))
  const errors = routes ? routes.flatMap((route) => route.error ?? []) : active.flatMap((flow) => defaultFaults(flow, request))
  if (errors.some((error) => error.code === 'override_not_allowed')) return refuse('override_not_allowed', errors)
  if (errors.length > 0) return refuse('target_unroutable', errors)

  return collect(flows, idOf, (flow) =>
    routes ? routes.map((route) => route.resultFor(flow.source_type)) : [resultOfDefault(flow, channelOf)],
  )
}

const collect = <Flow extends PlannableFlow>(
  flows: readonly Flow[],
  idOf: (flow: Flow) => string,
  resultsFor: (flow: Flow) => readonly (TargetResult | undefined)[],
): DeliveryPlan<Flow> => {
  const routed: RoutedFlow<Flow>[] = []
  const skipped: SkippedFlow<Flow>[] = []
  let total = 0
  for (const flow of flows) {
    const targets = flow.active ? distinctTargets(resultsFor(flow)) : []
    total += targets.length
    if (targets.length === 0) skipped.push({ flow, flowId: idOf(flow), reason: flow.active ? 'not_targeted' : 'inactive' })
    else if (total <= maxDeliveries) routed.push({ flow, flowId: idOf(flow), targets })
  }
  if (total <= maxDeliveries) return { ok: true, routed, skipped }
  return refuse('too_many_deliveries', [], `This would make ${total} deliveries; at most ${maxDeliveries} are allowed.`)
}

/** The targets that were recognized, without those that reach the same receiver as one before. */
const distinctTargets = (results: readonly (TargetResult | undefined)[]): string[] => {
  const keys = new Set<string>()
  const targets: string[] = []
  for (const result of results) {
    if (!result?.ok || keys.has(result.key)) continue
    keys.add(result.key)
    targets.push(result.target)
  }
  return targets
}

const resultOfDefault = (flow: PlannableFlow, channelOf: PlanDeps<never>['channelOf']): TargetResult | undefined => {
  const channel = channelOf(flow.source_type)
  return channel && defaultTarget(flow, channel)
}

/** The fault of a default target that its provider took once, and takes no more. */
const defaultFaults = <Flow extends PlannableFlow>(flow: Flow, { idOf, channelOf }: PlanDeps<Flow>): TargetFault[] => {
  const result = resultOfDefault(flow, channelOf)
  if (!result || result.ok) return []
  const message = `The target of flow ${idOf(flow)} is no longer valid. ${result.message}`
  return [{ pointer: '/target', code: 'target_unroutable', message }]
}

const orphanDetail = <Flow extends PlannableFlow>(orphans: readonly Flow[], idOf: (flow: Flow) => string): string => {
  const types = [...new Set(orphans.map((flow) => `"${flow.source_type}"`))].slice(0, 3)
  return `Active flows deliver through ${types.join(', ')}, for which no provider is registered: ${flowIds(orphans, idOf)}.`
}

const refuse = (code: RefusedPlan['code'], errors: readonly TargetFault[], detail?: string): RefusedPlan => ({
  ok: false,
  code,
  detail: detail ?? (errors.length === 1 ? (errors[0]?.message ?? '') : `The target has ${errors.length} faults.`),
  errors,
})
