import type { FieldError } from '@flowpost/contract'
import { contentFaults, planDeliveries, type RenderedContent, renderMessage, utf8Length } from '@flowpost/domain'
import { ApiError, notFound, validationFailed } from '../http/api-error.ts'
import type { FlowRecord } from '../state/records.ts'
import type { NotificationSend } from '../state/wire.ts'
import { providerOf, type World } from '../state/world.ts'

/** The body of a send, parsed. */
export type SendBody = NotificationSend

/** A flow that the notification triggers: the message as it will be sent, and the receivers. */
export interface MatchedFlow {
  readonly flow: FlowRecord
  readonly content: RenderedContent
  readonly targets: readonly string[]
  /** Why the message cannot be sent through the flow's provider, in words; usually empty. */
  readonly contentFaults: readonly string[]
}

/** What a notification does with each flow. */
export interface NotificationPlan {
  readonly matched: readonly MatchedFlow[]
  readonly skipped: readonly { readonly flow: FlowRecord; readonly reason: 'inactive' | 'not_targeted' }[]
}

const longestDelayMs = 30 * 24 * 3_600_000
const mostStoredBytes = 32 * 1_048_576

/**
 * When a message is to be sent, in milliseconds since the epoch; `undefined`: now.
 * @throws ApiError `validation_failed` for more than 30 days ahead.
 */
export const sendAt = (body: SendBody, now: number): number | undefined => {
  if (body.send_at === undefined) return undefined
  const at = Date.parse(body.send_at)
  if (at > now + longestDelayMs)
    throw validationFailed([{ in: 'body', pointer: '/send_at', code: 'too_big', message: 'Must be at most 30 days ahead.' }])
  return at > now ? at : undefined
}

/**
 * The flows that a notification may trigger: the one that it names, or all of the project.
 * @throws ApiError `not_found` for a named flow that is not the project's.
 */
export const triggeredFlows = ({ store }: World, projectId: string, flowId: string | undefined): FlowRecord[] => {
  const flows = [...store.flows.values()].filter((flow) => flow.project_id === projectId && (flowId === undefined || flow.id === flowId))
  if (flowId !== undefined && flows.length === 0) throw notFound()
  return flows
}

/**
 * Decides which flows a notification triggers, with which targets, and renders the message for each.
 * @throws ApiError for every way in which the targets cannot be routed.
 */
export const planNotification = (world: World, flows: readonly FlowRecord[], body: SendBody): NotificationPlan => {
  const plan = planDeliveries({
    flows,
    named: body.flow_id !== undefined,
    override: body.target,
    channelOf: (sourceType) => providerOf(world, sourceType),
  })
  if (!plan.ok) {
    const errors = plan.errors.map((error) => ({ in: 'body' as const, ...error }))
    throw new ApiError(plan.code, plan.detail, errors.length > 0 ? { errors } : {})
  }
  const targets = new Map<string, string[]>()
  for (const { flowId, target } of plan.deliveries) targets.set(flowId, [...(targets.get(flowId) ?? []), target])
  const byId = new Map(flows.map((flow) => [flow.id, flow]))
  return {
    matched: [...targets].flatMap(([id, of]) => {
      const flow = byId.get(id)
      return flow ? [match(world, flow, body, of)] : []
    }),
    skipped: plan.skipped.flatMap(({ flowId, reason }) => {
      const flow = byId.get(flowId)
      return flow ? [{ flow, reason }] : []
    }),
  }
}

const match = (world: World, flow: FlowRecord, body: SendBody, targets: readonly string[]): MatchedFlow => {
  const channel = providerOf(world, flow.source_type)
  if (!channel) throw new Error(`The plan has a delivery for ${flow.id}, whose provider is not served.`)
  const { subject, message, message_type: messageType } = body
  const parts = { template: flow.message_template, templateType: flow.message_template_type, subject, message, messageType }
  const content = renderMessage(parts, channel)
  return { flow, content, targets, contentFaults: contentFaults(content, channel.limits).map((fault) => fault.message) }
}

/** The bytes of all parts of a message in UTF-8. */
export const contentBytes = ({ subject, text, html = '' }: RenderedContent): number =>
  utf8Length(subject) + utf8Length(text) + utf8Length(html)

/**
 * Refuses a message that a provider could not take, and one that is too large for all its receivers together.
 * @throws ApiError `content_too_long`.
 */
export const requireWithinLimits = ({ matched }: NotificationPlan): void => {
  const errors = matched.flatMap(({ flow, contentFaults: [fault] }): FieldError[] =>
    fault === undefined ? [] : [{ in: 'body', pointer: '/message', code: 'content_too_long', message: `For flow ${flow.id}: ${fault}` }],
  )
  if (errors.length > 0) throw new ApiError('content_too_long', 'The rendered message is over a limit of its provider.', { errors })
  const total = matched.reduce((sum, { content, targets }) => sum + targets.length * contentBytes(content), 0)
  if (total <= mostStoredBytes) return
  throw new ApiError(
    'content_too_long',
    `The rendered messages of all deliveries have ${total} bytes together; at most ${mostStoredBytes} are allowed.`,
  )
}
