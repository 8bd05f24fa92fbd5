import type { FieldError, NotificationSend } from '@flowpost/contract'
import { type Channel, contentFaults, planDeliveries, type RenderedContent, renderMessage } from '@flowpost/domain'
import type { z } from 'zod'
import { ApiError, validationFailed } from '../../shared/api-error.ts'
import { toId } from '../../shared/ids.ts'
import type { Channels } from '../flows/channels.ts'
import type { FlowRow } from '../flows/flow.wire.ts'

/** The body of a send, parsed. */
export type SendBody = z.output<typeof NotificationSend>

/** A message that is to be delivered: rendered, its target fixed. */
export interface PlannedDelivery {
  readonly flow: FlowRow
  readonly sourceType: string
  readonly target: string
  readonly content: RenderedContent
}

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
 * @throws ApiError for everything that the rules refuse.
 */
export const planNotification = (flows: readonly FlowRow[], body: SendBody, channels: Channels): PlannedDelivery[] => {
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
  const rendered = new Map<string, RenderedContent>()
  const deliveries = plan.deliveries.map(({ flowId, sourceType, target }) => {
    const flow = flowById.get(flowId)
    const channel = channels.get(sourceType)
    if (!flow || !channel) throw new Error(`The plan has a delivery for ${flowId}, which is not one of its flows.`)
    const content = rendered.get(flowId) ?? render(flow, body, channel)
    rendered.set(flowId, content)
    return { flow, sourceType, target, content }
  })
  requireWithinLimits(flowById, rendered, channels)
  return deliveries
}

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

const requireWithinLimits = (flows: ReadonlyMap<string, FlowRow>, rendered: ReadonlyMap<string, RenderedContent>, channels: Channels): void => {
  const errors = [...rendered].flatMap(([id, content]): FieldError[] => {
    const channel = channels.get(flows.get(id)?.source_type ?? '')
    if (!channel) return []
    const [fault] = contentFaults(content, channel.limits)
    if (!fault) return []
    return [
      {
        in: 'body',
        pointer: '/message',
        code: 'content_too_long',
        message: `For flow ${id}: ${fault.message}`,
      },
    ]
  })
  if (errors.length > 0) throw new ApiError('content_too_long', 'The rendered message is over a limit of its provider.', { errors })
}
