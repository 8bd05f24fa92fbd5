import type { NotificationSend } from '@flowpost/contract'
import { type NotificationPlan, planNotification as plan, type Refusal, type RefusedPlan, readSendAt } from '@flowpost/domain'
import type { z } from 'zod'
import { ApiError } from '../../shared/api-error.ts'
import { toId } from '../../shared/ids.ts'
import type { Channels } from '../flows/channels.ts'
import type { FlowRow } from '../flows/flow.wire.ts'

/** The body of a send, parsed. */
export type SendBody = z.output<typeof NotificationSend>

type RefusedCode = RefusedPlan['code'] | 'content_too_long'

/** A refusal of the domain as a problem. */
export const toApiError = ({ code, detail, errors }: Refusal<RefusedCode>): ApiError =>
  new ApiError(code, detail, errors.length > 0 ? { errors: errors.map((error) => ({ in: 'body', ...error })) } : {})

/**
 * When a message is to be sent; `undefined`: now.
 * @throws ApiError `validation_failed` for more than 30 days ahead.
 */
export const sendAt = (body: SendBody, now: Date): Date | undefined => {
  const schedule = readSendAt(body.send_at, now.getTime())
  if (!schedule.ok) throw toApiError(schedule)
  return schedule.at === undefined ? undefined : new Date(schedule.at)
}

/**
 * Decides which flows a notification triggers, with which targets, and renders the message for each.
 * @throws ApiError for every way in which the targets cannot be routed.
 */
export const planNotification = (flows: readonly FlowRow[], body: SendBody, channels: Channels): NotificationPlan<FlowRow> => {
  const planned = plan(flows, body, { idOf: ({ id }) => toId('flow', id), channelOf: channels.get })
  if (!planned.ok) throw toApiError(planned)
  return planned
}
