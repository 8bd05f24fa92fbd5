import type { PlanDeps } from '../planning/plan-deliveries.ts'
import { planDeliveries } from '../planning/plan-deliveries.ts'
import type { NotificationRequest, TemplatedFlow } from '../planning/plan-notification.ts'
import { parseDefaultTarget } from '../planning/plannable-flow.ts'
import type { RenderedContent } from '../rendering/content.ts'
import { type RenderedByFlow, recoverMessage } from './recover-message.ts'

/** A flow with the times of its creation and its last change. */
export interface DatedFlow extends TemplatedFlow {
  /** The id of the flow as in the API. */
  readonly id: string
  /** Milliseconds since the epoch. */
  readonly createdAtMs: number
  /** Milliseconds since the epoch. */
  readonly updatedAtMs: number
}

/** The stored parts of a notification. */
export interface StoredNotification {
  /** The id of the notification as in the API. */
  readonly id: string
  /** When it was accepted, in milliseconds since the epoch. */
  readonly createdAtMs: number
  /** `null` if the subject is no longer stored. */
  readonly subject: string | null
  readonly deliveries: readonly {
    readonly flowId: string
    readonly sourceType: string
    readonly target: string
    /** The rendered message; `null` if it is no longer stored. */
    readonly content: RenderedContent | null
  }[]
}

type ChannelOf = PlanDeps<never>['channelOf']
type Address = Pick<NotificationRequest, 'flow_id' | 'target'>
type TargetsByFlow = ReadonlyMap<string, readonly string[]>

const groupTargets = ({ deliveries }: StoredNotification): TargetsByFlow => {
  const targets = new Map<string, string[]>()
  for (const { flowId, target } of deliveries) targets.set(flowId, [...(targets.get(flowId) ?? []), target])
  return targets
}

/** Returns whether the flow has its default target among the deliveries and no other. */
const hasDefaultTarget = (flow: DatedFlow, targets: readonly string[] = [], channelOf: ChannelOf): boolean => {
  const channel = channelOf(flow.source_type)
  const result = channel && parseDefaultTarget(flow, channel)
  return result?.ok === true && targets.length === 1 && targets[0] === result.target
}

/** Returns whether a request that names neither a flow nor a target has these deliveries. */
const triggersAll = (unchanged: readonly DatedFlow[], targets: TargetsByFlow, channelOf: ChannelOf): boolean => {
  const known = new Set(unchanged.map(({ id }) => id))
  return (
    unchanged.every((flow) => (flow.active ? hasDefaultTarget(flow, targets.get(flow.id), channelOf) : !targets.has(flow.id))) &&
    // A flow that has changed since had another target, but only one.
    [...targets].every(([id, list]) => known.has(id) || list.length === 1)
  )
}

/** Returns whether the flows deliver a request to exactly these targets. */
const reproduces = (flows: readonly DatedFlow[], { flow_id, target }: Address, targets: TargetsByFlow, channelOf: ChannelOf): boolean => {
  const candidates = flow_id === undefined ? flows : flows.filter(({ id }) => id === flow_id)
  const plan = planDeliveries({ flows: candidates, named: flow_id !== undefined, override: target, idOf: ({ id }) => id, channelOf })
  return (
    plan.ok &&
    plan.routed.length === targets.size &&
    plan.routed.every(({ flowId, targets: planned }) => {
      const stored = new Set(targets.get(flowId))
      return stored.size === planned.length && planned.every((target) => stored.has(target))
    })
  )
}

/**
 * Recovers to whom a request was addressed. A request that named the only active flow has the same deliveries as one that named
 * none, and counts as one that named none.
 */
const recoverAddress = (notification: StoredNotification, flows: readonly DatedFlow[], channelOf: ChannelOf): Address | undefined => {
  const targets = groupTargets(notification)
  const existing = flows.filter(({ createdAtMs }) => createdAtMs <= notification.createdAtMs)
  const unchanged = existing.filter(({ updatedAtMs }) => updatedAtMs <= notification.createdAtMs)
  if (triggersAll(unchanged, targets, channelOf)) return {}
  const [[flowId] = []] = targets
  const flow = targets.size === 1 ? existing.find(({ id }) => id === flowId) : undefined
  const isUnchanged = flow !== undefined && unchanged.includes(flow)
  if (flow && (isUnchanged ? hasDefaultTarget(flow, targets.get(flow.id), channelOf) : targets.get(flow.id)?.length === 1))
    return { flow_id: flow.id }
  const target = [...new Set(notification.deliveries.map(({ sourceType, target }) => `${sourceType}:${target}`))].join(';')
  if (reproduces(existing, { target }, targets, channelOf)) return { target }
  return flow && reproduces(existing, { flow_id: flow.id, target }, targets, channelOf) ? { flow_id: flow.id, target } : undefined
}

/**
 * Recovers the request of a notification from its deliveries. Its message and target are not stored, so they are derived
 * from the rendered messages of the flows that have not changed since.
 * @returns `undefined` if the messages are no longer stored, or if the flows have changed too much.
 */
export const recoverRequest = (
  notification: StoredNotification,
  flows: readonly DatedFlow[],
  channelOf: ChannelOf,
): NotificationRequest | undefined => {
  const { subject, createdAtMs } = notification
  if (subject === null) return undefined
  const unchanged = new Map(flows.filter(({ updatedAtMs }) => updatedAtMs <= createdAtMs).map((flow) => [flow.id, flow]))
  const rendered = new Map<string, RenderedByFlow>()
  for (const { flowId, content } of notification.deliveries) {
    const flow = unchanged.get(flowId)
    const channel = flow && channelOf(flow.source_type)
    if (flow && channel && content) rendered.set(flowId, { flow, channel, content })
  }
  const message = recoverMessage(subject, [...rendered.values()])
  const address = message && recoverAddress(notification, flows, channelOf)
  return address && { ...address, subject, ...message }
}
