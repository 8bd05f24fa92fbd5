import type { FieldError, NotificationSend } from '@flowpost/contract'
import { type Channel, contentFaults, planDeliveries, type RenderedContent, renderMessage, utf8Length } from '@flowpost/domain'
import type { z } from 'zod'
import { ApiError, validationFailed } from '../../shared/api-error.ts'
import { toId } from '../../shared/ids.ts'
import type { Channels } from '../flows/channels.ts'
import type { FlowRow } from '../flows/flow.wire.ts'

/** The body of a send, parsed. */
export type SendBody = z.output<typeof NotificationSend>

/** A flow that the notification triggers: the message as it will be sent, and the receivers. */
export interface MatchedFlow {
  readonly flow: FlowRow
  readonly content: RenderedContent
  readonly targets: readonly string[]
  /** Why the message cannot be sent through the flow's provider, in words; usually empty. */
  readonly contentFaults: readonly string[]
}

/** A flow that the notification leaves out, and why. */
export interface LeftOutFlow {
  readonly flow: FlowRow
  readonly reason: 'inactive' | 'not_targeted'
}

/** What a notification does with each flow. */
export interface NotificationPlan {
  readonly matched: readonly MatchedFlow[]
  readonly skipped: readonly LeftOutFlow[]
}

// Every delivery is stored with its message, so a large one to many receivers must have an end.
const mostStoredBytes = 32 * 1_048_576
const longestDelayMs = 30 * 24 * 3_600_000

/**
 * When a message is to be sent; `undefined`: now.
 * @throws ApiError `validation_failed` for more than 30 days ahead.
 */
export const sendAt = (body: SendBody, now: Date): Date | undefined => {
  if (body.send_at === undefined) return undefined
  const at = new Date(body.send_at)
  if (at.getTime() > now.getTime() + longestDelayMs)
    throw validationFailed([{ in: 'body', pointer: '/send_at', code: 'too_big', message: 'Must be at most 30 days ahead.' }])
  return at.getTime() > now.getTime() ? at : undefined
}

/**
 * Decides which flows a notification triggers, with which targets, and renders the message for each.
 * All or nothing: a message meant for one person never falls back to another.
 * @throws ApiError for every way in which the targets cannot be routed.
 */
export const planNotification = (flows: readonly FlowRow[], body: SendBody, channels: Channels): NotificationPlan => {
  // By the ids of the wire, which the messages of a refusal name.
  const flowById = new Map(flows.map((flow) => [toId('flow', flow.id), flow]))
  const plan = planDeliveries({
    flows: [...flowById].map(([id, flow]) => ({ ...flow, id })),
    named: body.flow_id !== undefined,
    override: body.target,
    channelOf: channels.get,
  })
  if (!plan.ok) {
    const errors = plan.errors.map((error) => ({ in: 'body' as const, ...error }))
    throw new ApiError(plan.code, plan.detail, errors.length > 0 ? { errors } : {})
  }
  const flowOf = (id: string): FlowRow => {
    const flow = flowById.get(id)
    if (!flow) throw new Error(`The plan names ${id}, which is not one of its flows.`)
    return flow
  }
  const matched = [...Map.groupBy(plan.deliveries, (delivery) => delivery.flowId)].map(([id, deliveries]): MatchedFlow => {
    const flow = flowOf(id)
    const channel = channels.get(flow.source_type)
    if (!channel) throw new Error(`The plan has a delivery for ${id}, whose provider is not served.`)
    const content = render(flow, body, channel)
    return {
      flow,
      content,
      targets: deliveries.map(({ target }) => target),
      contentFaults: contentFaults(content, channel.limits).map(({ message }) => message),
    }
  })
  return { matched, skipped: plan.skipped.map(({ flowId, reason }) => ({ flow: flowOf(flowId), reason })) }
}

/** The bytes of all parts of a message in UTF-8. */
export const contentBytes = ({ subject, text, html = '' }: RenderedContent): number =>
  utf8Length(subject) + utf8Length(text) + utf8Length(html)

const render = (flow: FlowRow, body: SendBody, channel: Channel): RenderedContent =>
  renderMessage(
    {
      template: flow.message_template,
      templateType: flow.message_template_type,
      subject: body.subject,
      message: body.message,
      messageType: body.message_type,
    },
    channel,
  )

/**
 * Refuses a message that a provider could not take.
 * @throws ApiError `content_too_long` with one error a flow.
 */
export const requireWithinLimits = (plan: NotificationPlan): void => {
  const errors = plan.matched.flatMap(({ flow, contentFaults: [fault] }): FieldError[] =>
    fault === undefined
      ? []
      : [{ in: 'body', pointer: '/message', code: 'content_too_long', message: `For flow ${toId('flow', flow.id)}: ${fault}` }],
  )
  if (errors.length > 0) throw new ApiError('content_too_long', 'The rendered message is over a limit of its provider.', { errors })
  const total = plan.matched.reduce((sum, { content, targets }) => sum + targets.length * contentBytes(content), 0)
  if (total > mostStoredBytes)
    throw new ApiError(
      'content_too_long',
      `The rendered messages of all deliveries have ${total} bytes together; at most ${mostStoredBytes} are allowed.`,
    )
}
