import type { RequestAddress } from '../planning/explain-deliveries.ts'
import type { PlanDeps } from '../planning/plan-deliveries.ts'
import { planDeliveries } from '../planning/plan-deliveries.ts'
import type { NotificationRequest, TemplatedFlow } from '../planning/plan-notification.ts'
import type { RenderedContent } from '../rendering/content.ts'
import { type RenderedByFlow, recoverMessage } from './recover-message.ts'

/** A flow with the times of its creation and its last change. */
export interface DatedFlow extends TemplatedFlow {
  /** The flow's id in the API's format, `flw_…`. */
  readonly id: string
  /** The time at which the flow was created, in milliseconds since the epoch. */
  readonly createdAtMs: number
  /**
   * The time of the last change to the flow's settings, in milliseconds since the epoch. The flow's `updated_at` can be
   * later, because a write that changes nothing updates it too.
   */
  readonly updatedAtMs: number
}

/** The stored parts of a notification. */
export interface StoredNotification {
  /** The notification's id in the API's format, `ntf_…`. */
  readonly id: string
  /** The time at which the notification was accepted, in milliseconds since the epoch. */
  readonly createdAtMs: number
  /** The notification's subject; `null` if it is no longer stored. */
  readonly subject: string | null
  /**
   * The id of the flow that the request named, if any, and whether the request had a `target`. `undefined` if the
   * notification was accepted by an older release, which did not store these facts.
   */
  readonly address: RequestAddress | undefined
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

/** Returns whether a request with this `flow_id` and `target` would create exactly the given deliveries. */
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
 * Returns the targets that a request with these deliveries may have had, the preferred one first. Targets without a provider
 * are preferred, because a target with a provider is rejected when that provider's flows are switched off.
 */
const findTargets = (deliveries: StoredNotification['deliveries']): string[] => {
  const providers = new Map<string, Set<string>>()
  for (const { sourceType, target } of deliveries) providers.set(target, (providers.get(target) ?? new Set()).add(sourceType))
  const join = (needsProvider: (sourceTypes: ReadonlySet<string>) => boolean) => {
    const entryOf = (sourceType: string, target: string) => {
      return needsProvider(providers.get(target) ?? new Set()) ? `${sourceType}:${target}` : target
    }
    return [...new Set(deliveries.map(({ sourceType, target }) => entryOf(sourceType, target)))].join(';')
  }
  return [join(() => false), join(({ size }) => size === 1), join(() => true)]
}

/** Returns a request's `flow_id` and `target`. The target is not stored, so it is derived from the deliveries. */
const recoverAddress = (notification: StoredNotification, flows: readonly DatedFlow[], channelOf: ChannelOf): Address | undefined => {
  const { address, deliveries, createdAtMs } = notification
  if (!address) return undefined
  const named: Address = address.flowId === undefined ? {} : { flow_id: address.flowId }
  if (!address.hasTarget) return named
  const existing = flows.filter((flow) => flow.createdAtMs <= createdAtMs)
  const targets = groupTargets(notification)
  return findTargets(deliveries)
    .map((target) => ({ ...named, target }))
    .find((request) => reproduces(existing, request, targets, channelOf))
}

/**
 * Recovers a notification's request from its deliveries. The request's message and target are not stored. The message
 * is derived from the rendered messages of flows that have not changed since the request, and the target from the
 * deliveries.
 * @returns `undefined` if the request cannot be recovered, for example because the rendered messages are no longer
 * stored or too many flows have changed.
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
