import type { Channel, TargetResult } from '../channels/channel.ts'
import { type PlannableFlow, parseDefaultTarget } from './plannable-flow.ts'
import type { Rejection } from './rejection.ts'
import { findAddressIssues, listFlowIds, routeEntry } from './route-entry.ts'
import { parseTargetList, type TargetIssue } from './target-list.ts'

/** The maximum number of deliveries of a notification. */
export const maxDeliveries = 1000

/** A flow with the targets to deliver to. */
export interface RoutedFlow<Flow> {
  readonly flow: Flow
  /** The id of the flow as in the API. */
  readonly flowId: string
  /** The canonical targets; at least one. */
  readonly targets: readonly string[]
}

/** A flow that is skipped, with the reason. */
export interface SkippedFlow<Flow> {
  readonly flow: Flow
  /** The id of the flow as in the API. */
  readonly flowId: string
  readonly reason: 'inactive' | 'not_targeted'
}

/** The rejection of a notification. */
export interface RejectedPlan
  extends Rejection<
    | 'validation_failed'
    | 'no_active_flows'
    | 'flow_inactive'
    | 'integration_missing'
    | 'override_not_allowed'
    | 'target_unroutable'
    | 'too_many_deliveries'
  > {
  /** Every issue of the target; empty if the cause is not in the request. */
  readonly errors: readonly TargetIssue[]
}

/** The deliveries of a notification, or its rejection. A notification is accepted for all of its targets or for none. */
export type DeliveryPlan<Flow> =
  | { readonly ok: true; readonly routed: readonly RoutedFlow<Flow>[]; readonly skipped: readonly SkippedFlow<Flow>[] }
  | RejectedPlan

/** The functions that planning depends on. */
export interface PlanDeps<Flow> {
  /** Returns the id of a flow as in the API. */
  readonly idOf: (flow: Flow) => string
  /** Returns the channel of a source type; `undefined` if no such provider is registered. */
  readonly channelOf: (sourceType: string) => Channel | undefined
}

/** The input of {@link planDeliveries}. */
export interface PlanRequest<Flow> extends PlanDeps<Flow> {
  /** The candidates: all flows of the project, or the flow that the request names. */
  readonly flows: readonly Flow[]
  /** Whether the request names the flow. @default false */
  readonly named?: boolean
  /** The `target` of the request. */
  readonly override?: string | undefined
}

/**
 * Plans the deliveries of a notification. The checks run in this order, and the first failure rejects the notification:
 *
 * 1. `validation_failed`: the override is malformed, or an address is invalid for the provider that its entry names.
 * 2. `flow_inactive` for a named flow, `no_active_flows` for a project.
 * 3. `integration_missing`: the provider of an active flow is not registered. Skipping such a flow would lose its message
 *    silently. With an override, the notification is rejected only if this applies to all active flows.
 * 4. `override_not_allowed`: an entry matches a flow that does not allow overrides. `target_unroutable`: an entry matches no
 *    active flow, or the provider of a flow rejects its default target. If both occur, the code is `override_not_allowed`
 *    and `errors` lists both.
 * 5. `too_many_deliveries`: more than 1,000.
 *
 * Without an override, each active flow delivers to its default target. With an override, an entry matches the active flows
 * of the provider that it names, or of every provider that accepts its address. A flow without a matching entry is skipped;
 * its default target is not used. Within a flow, only the first of several targets with the same key is used. The result has the
 * order of the flows, and within a flow the order of the entries.
 */
export const planDeliveries = <Flow extends PlannableFlow>(request: PlanRequest<Flow>): DeliveryPlan<Flow> => {
  const { flows, named = false, override, idOf, channelOf } = request
  const list = override === undefined ? undefined : parseTargetList(override, (id) => channelOf(id) !== undefined)
  const malformed = list ? [...list.errors, ...list.entries.flatMap((entry) => findAddressIssues(entry, channelOf))] : []
  if (malformed.length > 0) return reject('validation_failed', malformed)

  const active = flows.filter((flow) => flow.active)
  if (active.length === 0 && named) return reject('flow_inactive', [], 'The flow is not active.')
  if (active.length === 0) return reject('no_active_flows', [], 'The project has no active flows.')
  const unservedFlows = active.filter((flow) => !channelOf(flow.source_type))
  if (unservedFlows.length > 0 && (!list || unservedFlows.length === active.length))
    return reject('integration_missing', [], describeUnservedFlows(unservedFlows, idOf))

  const routes = list?.entries.map((entry) => routeEntry(entry, active, request))
  const errors = routes ? routes.flatMap((route) => route.error ?? []) : active.flatMap((flow) => findDefaultTargetIssues(flow, request))
  if (errors.some((error) => error.code === 'override_not_allowed')) return reject('override_not_allowed', errors)
  if (errors.length > 0) return reject('target_unroutable', errors)

  return collectTargets(flows, idOf, (flow) =>
    routes ? routes.map((route) => route.resultFor(flow.source_type)) : [parseTargetOfFlow(flow, channelOf)],
  )
}

const collectTargets = <Flow extends PlannableFlow>(
  flows: readonly Flow[],
  idOf: (flow: Flow) => string,
  resultsFor: (flow: Flow) => readonly (TargetResult | undefined)[],
): DeliveryPlan<Flow> => {
  const routed: RoutedFlow<Flow>[] = []
  const skipped: SkippedFlow<Flow>[] = []
  let total = 0
  for (const flow of flows) {
    const targets = flow.active ? toDistinctTargets(resultsFor(flow)) : []
    total += targets.length
    if (targets.length === 0) skipped.push({ flow, flowId: idOf(flow), reason: flow.active ? 'not_targeted' : 'inactive' })
    else if (total <= maxDeliveries) routed.push({ flow, flowId: idOf(flow), targets })
  }
  if (total <= maxDeliveries) return { ok: true, routed, skipped }
  return reject('too_many_deliveries', [], `The notification would create ${total} deliveries; at most ${maxDeliveries} are allowed.`)
}

/** Returns the valid targets without duplicates: the first target of each key. */
const toDistinctTargets = (results: readonly (TargetResult | undefined)[]): string[] => {
  const keys = new Set<string>()
  const targets: string[] = []
  for (const result of results) {
    if (!result?.ok || keys.has(result.key)) continue
    keys.add(result.key)
    targets.push(result.target)
  }
  return targets
}

const parseTargetOfFlow = (flow: PlannableFlow, channelOf: PlanDeps<never>['channelOf']): TargetResult | undefined => {
  const channel = channelOf(flow.source_type)
  return channel && parseDefaultTarget(flow, channel)
}

/** Returns the issue of a default target that its provider no longer accepts. */
const findDefaultTargetIssues = <Flow extends PlannableFlow>(flow: Flow, { idOf, channelOf }: PlanDeps<Flow>): TargetIssue[] => {
  const result = parseTargetOfFlow(flow, channelOf)
  if (!result || result.ok) return []
  const message = `The target of flow ${idOf(flow)} is no longer valid. ${result.message}`
  return [{ pointer: '/target', code: 'target_unroutable', message }]
}

const describeUnservedFlows = <Flow extends PlannableFlow>(flows: readonly Flow[], idOf: (flow: Flow) => string): string => {
  const types = [...new Set(flows.map((flow) => `"${flow.source_type}"`))].slice(0, 3)
  return `No provider is registered for ${types.join(', ')}, which active flows use: ${listFlowIds(flows, idOf)}.`
}

const reject = (code: RejectedPlan['code'], errors: readonly TargetIssue[], detail?: string): RejectedPlan => ({
  ok: false,
  code,
  detail: detail ?? (errors.length === 1 ? (errors[0]?.message ?? '') : `The target has ${errors.length} errors.`),
  errors,
})
