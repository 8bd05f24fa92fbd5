import { type PlanDeps, planDeliveries } from './plan-deliveries.ts'
import type { PlannableFlow } from './plannable-flow.ts'

/** The flow that a request named, if any, and whether the request had a `target`. */
export interface RequestAddress {
  /** The id of the flow that the request named; `undefined` if it named none. */
  readonly flowId?: string | undefined
  /** Whether the request had a `target`. */
  readonly hasTarget: boolean
}

/** The flow, provider and target of a stored delivery. An erased target starts with `erased:`. */
export interface StoredTarget {
  readonly flowId: string
  readonly sourceType: string
  readonly target: string
}

/** A flow's possible states at the time of a request. There are several states if the flow changed around that time. */
export interface FlowStates<Flow> {
  /** The flow's id in the API's format, `flw_…`. */
  readonly flowId: string
  /**
   * The settings that the flow may have had when the notification was accepted, most likely first. `undefined` means that the
   * flow may not have existed. If the default target has been erased, its value starts with `erased:`.
   */
  readonly states: readonly (Flow | undefined)[]
}

/** The effect of a notification on a flow. `flow` contains the settings that the flow had when the notification was accepted. */
export interface FlowEffect<Flow> {
  readonly flowId: string
  readonly flow: Flow
  readonly outcome: 'triggered' | 'skipped'
  /** Why the flow was skipped; `null` if it was triggered. */
  readonly reason: 'not_named' | 'inactive' | 'not_targeted' | null
}

/** The input of {@link explainDeliveries}. */
export interface ExplainRequest<Flow> {
  readonly address: RequestAddress
  /** The deliveries that the request created. */
  readonly deliveries: readonly StoredTarget[]
  /** The flows that the project may have had at the time of the request. */
  readonly flows: readonly FlowStates<Flow>[]
  readonly channelOf: PlanDeps<never>['channelOf']
}

type Effect<Flow> = FlowEffect<Flow> | 'none' | 'contradiction'

const isErased = ({ target }: { readonly target: string }): boolean => target.startsWith('erased:')

/**
 * Returns whether the request could have created exactly the deliveries in `own` if the flow had the settings in `flow`. An
 * erased target matches any target.
 */
const reproduces = <Flow extends PlannableFlow>(flow: Flow, own: readonly StoredTarget[], { address, channelOf }: ExplainRequest<Flow>) => {
  // If the provider is no longer registered, the request cannot be planned again, so there is nothing to compare `own` with.
  // The function then assumes that the request could have created `own`.
  if (!channelOf(flow.source_type)) return true
  const known = own.filter((delivery) => !isErased(delivery))
  const planned = { flows: [flow], named: address.flowId !== undefined, idOf: () => '', channelOf }
  if (!address.hasTarget) {
    const plan = planDeliveries(planned)
    return isErased(flow) || (plan.ok && own.length === 1 && known.every(({ target }) => plan.routed[0]?.targets.includes(target)))
  }
  if (known.length === 0) return flow.override_target
  const plan = planDeliveries({ ...planned, override: known.map(({ sourceType, target }) => `${sourceType}:${target}`).join(';') })
  return plan.ok && plan.routed[0]?.targets.length === known.length
}

const explainState = <Flow extends PlannableFlow>(
  flowId: string,
  flow: Flow | undefined,
  own: readonly StoredTarget[],
  request: ExplainRequest<Flow>,
): Effect<Flow> => {
  const { address, deliveries } = request
  const isTriggered = own.length > 0
  const skipped = (reason: NonNullable<FlowEffect<Flow>['reason']>) => ({ flowId, flow: flow as Flow, outcome: 'skipped' as const, reason })
  if (!flow) return isTriggered ? 'contradiction' : 'none'
  if (address.flowId !== undefined && address.flowId !== flowId) return isTriggered ? 'contradiction' : skipped('not_named')
  if (isTriggered) {
    const agrees = flow.active && own.every(({ sourceType }) => sourceType === flow.source_type) && reproduces(flow, own, request)
    return agrees ? { flowId, flow, outcome: 'triggered', reason: null } : 'contradiction'
  }
  // An accepted request always triggers the flow that it names, but this flow was not triggered.
  if (address.flowId !== undefined) return 'contradiction'
  if (!flow.active) return skipped('inactive')
  // A request without a `target` triggers every active flow, but this flow was not triggered.
  if (!address.hasTarget) return 'contradiction'
  // The `target` triggered another flow with the same provider, but not this flow. A `target` triggers either all active flows
  // with a provider or none of them, so this flow cannot have had the settings in `flow`.
  if (deliveries.some(({ sourceType }) => sourceType === flow.source_type)) return 'contradiction'
  return skipped('not_targeted')
}

/**
 * Explains the deliveries of an accepted request: which flows it triggered, and why it skipped the others. If a flow has
 * several possible `states`, the first one that agrees with the deliveries is used.
 * @returns The effects in the order of `flows`, or `undefined` if the flows' states cannot explain the deliveries.
 */
export const explainDeliveries = <Flow extends PlannableFlow>(request: ExplainRequest<Flow>): FlowEffect<Flow>[] | undefined => {
  const ofFlow = new Map<string, StoredTarget[]>()
  for (const delivery of request.deliveries) {
    const own = ofFlow.get(delivery.flowId)
    if (own) own.push(delivery)
    else ofFlow.set(delivery.flowId, [delivery])
  }
  const effects: FlowEffect<Flow>[] = []
  const explained = new Set<string>()
  for (const { flowId, states } of request.flows) {
    const own = ofFlow.get(flowId) ?? []
    const effect = states.map((flow) => explainState(flowId, flow, own, request)).find((found) => found !== 'contradiction')
    if (effect === undefined) return undefined
    if (effect === 'none') continue
    effects.push(effect)
    explained.add(flowId)
  }
  return [...ofFlow.keys()].every((flowId) => explained.has(flowId)) ? effects : undefined
}
