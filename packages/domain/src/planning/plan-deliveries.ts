import type { Channel, TargetResult } from '../channels/channel.ts'
import { type PlannableFlow, parseDefaultTarget } from './plannable-flow.ts'
import type { Rejection } from './rejection.ts'
import { groupLockedFlows, listFlowIds, routeEntry } from './route-entry.ts'
import { checkTargetList } from './target-issues.ts'
import type { TargetEntry, TargetIssue } from './target-list.ts'

/** The maximum number of deliveries that one notification can create. */
export const maxDeliveries = 1000

/** A flow that delivers a notification, and the targets to which it delivers. */
export interface RoutedFlow<Flow> {
  readonly flow: Flow
  /** The flow's id in the API's format, `flw_…`. */
  readonly flowId: string
  /** The targets to deliver to, in canonical form; at least one. */
  readonly targets: readonly string[]
}

/** A flow that a notification skips, with the reason. `not_targeted` means that no entry of the target override matches the flow. */
export interface SkippedFlow<Flow> {
  readonly flow: Flow
  /** The flow's id in the API's format, `flw_…`. */
  readonly flowId: string
  readonly reason: 'inactive' | 'not_targeted'
}

/** The rejection of a notification during planning. */
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
  /** Every issue with the request's `target` or with a flow's default target; empty if the rejection has another reason. */
  readonly errors: readonly TargetIssue[]
}

/** A notification's planned deliveries, or its rejection. A notification is accepted for all of its targets or for none. */
export type DeliveryPlan<Flow> =
  | { readonly ok: true; readonly routed: readonly RoutedFlow<Flow>[]; readonly skipped: readonly SkippedFlow<Flow>[] }
  | RejectedPlan

/** The functions that planning needs from its caller. */
export interface PlanDeps<Flow> {
  /** Returns a flow's id in the API's format, `flw_…`. */
  readonly idOf: (flow: Flow) => string
  /** Returns the channel for a `source_type`; `undefined` if the provider is not registered. */
  readonly channelOf: (sourceType: string) => Channel | undefined
}

/** The input of {@link planDeliveries}. */
export interface PlanRequest<Flow> extends PlanDeps<Flow> {
  /** The flows to consider: all of the project's flows, or only the flow that the request names. */
  readonly flows: readonly Flow[]
  /** Whether the request names a flow. If so, `flows` contains only that flow. @default false */
  readonly named?: boolean
  /** The request's `target`, which overrides the flows' default targets. */
  readonly override?: string | undefined
}

/**
 * Plans the deliveries of a notification. The checks run in this order, and the first failure rejects the notification:
 *
 * 1. `validation_failed`: the target override is malformed, or one of its entries names a provider that rejects the
 *    entry's address.
 * 2. `flow_inactive`: the flow that the request names is not active. `no_active_flows`: the request names no flow, and the
 *    project has no active flows.
 * 3. `integration_missing`: without an override, the provider of at least one active flow is not registered. Such a flow is
 *    not skipped, because its message would be lost silently. With an override, the check fails only if no active flow has a
 *    registered provider.
 * 4. With an override, `override_not_allowed`: an entry matches a flow that does not allow overrides. `target_unroutable`: an
 *    entry matches no active flow. If both occur, the code is `override_not_allowed` and `errors` lists both.
 *    Without an override, `target_unroutable`: an active flow's provider rejects the flow's default target.
 * 5. `too_many_deliveries`: the notification would create more than 1,000 deliveries. Without an override, this check runs
 *    before check 4, because each active flow creates exactly one delivery.
 *
 * Without an override, each active flow delivers to its default target. With an override, default targets are not used.
 * An entry that names a provider matches the active flows with that provider; any other entry matches the active flows
 * with any provider that accepts the entry's address. A flow without a matching entry is skipped. If several targets of
 * a flow belong to the same recipient, only the first one is used. The result keeps the order of `flows` and, within a
 * flow, the order of the entries.
 */
export const planDeliveries = <Flow extends PlannableFlow>(request: PlanRequest<Flow>): DeliveryPlan<Flow> => {
  const { flows, named = false, override, idOf, channelOf } = request
  const list = override === undefined ? undefined : checkTargetList(override, channelOf)
  if (list && list.errors.length > 0) return reject('validation_failed', list.errors)

  const active = flows.filter((flow) => flow.active)
  if (active.length === 0 && named) return reject('flow_inactive', [], 'The flow is not active.')
  if (active.length === 0) return reject('no_active_flows', [], 'The project has no active flows.')
  const unservedFlows = active.filter((flow) => !channelOf(flow.source_type))
  if (unservedFlows.length > 0 && (!list || unservedFlows.length === active.length))
    return reject('integration_missing', [], describeUnservedFlows(unservedFlows, idOf))

  return list ? planOverride(active, list.entries, request) : planDefaultTargets(active, request)
}

const planDefaultTargets = <Flow extends PlannableFlow>(active: readonly Flow[], request: PlanRequest<Flow>): DeliveryPlan<Flow> => {
  if (active.length > maxDeliveries) return rejectCount(active.length)
  const errors = active.flatMap((flow) => findDefaultTargetIssues(flow, request))
  if (errors.length > 0) return reject('target_unroutable', errors)
  return collectTargets(request, (flow) => toDistinctTargets([parseTargetOfFlow(flow, request.channelOf)]))
}

const planOverride = <Flow extends PlannableFlow>(
  active: readonly Flow[],
  entries: readonly TargetEntry[],
  request: PlanRequest<Flow>,
): DeliveryPlan<Flow> => {
  const lockedFlows = groupLockedFlows(active)
  const routes = entries.map((entry) => routeEntry(entry, lockedFlows, request))
  const errors = routes.flatMap((route) => route.error ?? [])
  if (errors.some((error) => error.code === 'override_not_allowed')) return reject('override_not_allowed', errors)
  if (errors.length > 0) return reject('target_unroutable', errors)

  const targetsFor = new Map(
    [...lockedFlows.keys()].map((sourceType) => [sourceType, toDistinctTargets(routes.map((route) => route.resultFor(sourceType)))]),
  )
  const targetsOf = (flow: Flow) => targetsFor.get(flow.source_type) ?? []
  const total = active.reduce((count, flow) => count + targetsOf(flow).length, 0)
  return total > maxDeliveries ? rejectCount(total) : collectTargets(request, targetsOf)
}

const rejectCount = (count: number): RejectedPlan =>
  reject('too_many_deliveries', [], `The notification would create ${count} deliveries; at most ${maxDeliveries} are allowed.`)

const collectTargets = <Flow extends PlannableFlow>(
  { flows, idOf }: PlanRequest<Flow>,
  targetsOf: (flow: Flow) => readonly string[],
): DeliveryPlan<Flow> => {
  const routed: RoutedFlow<Flow>[] = []
  const skipped: SkippedFlow<Flow>[] = []
  for (const flow of flows) {
    const targets = flow.active ? targetsOf(flow) : []
    if (targets.length === 0) skipped.push({ flow, flowId: idOf(flow), reason: flow.active ? 'not_targeted' : 'inactive' })
    else routed.push({ flow, flowId: idOf(flow), targets })
  }
  return { ok: true, routed, skipped }
}

/** Returns the valid targets, but only the first target for each recipient. */
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

/** Returns one issue if a flow's provider no longer accepts the flow's default target, and otherwise none. */
const findDefaultTargetIssues = <Flow extends PlannableFlow>(flow: Flow, { idOf, channelOf }: PlanDeps<Flow>): TargetIssue[] => {
  const result = parseTargetOfFlow(flow, channelOf)
  if (!result || result.ok) return []
  const message = `The target of flow ${idOf(flow)} is no longer valid. ${result.message}`
  return [{ pointer: '/target', code: 'target_unroutable', message }]
}

const describeUnservedFlows = <Flow extends PlannableFlow>(flows: readonly Flow[], idOf: (flow: Flow) => string): string => {
  const types = [...new Set(flows.map((flow) => `"${flow.source_type}"`))].slice(0, 3)
  return `No provider is registered for ${types.join(', ')}. Affected active flows: ${listFlowIds(flows, idOf)}.`
}

const reject = (code: RejectedPlan['code'], errors: readonly TargetIssue[], detail?: string): RejectedPlan => ({
  ok: false,
  code,
  detail: detail ?? (errors.length === 1 ? (errors[0]?.message ?? '') : `There are ${errors.length} target errors.`),
  errors,
})
