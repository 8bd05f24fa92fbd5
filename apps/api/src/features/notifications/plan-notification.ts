import type { NotificationSend } from '@flowpost/contract'
import { type Channels, type NotificationPlan, planNotification as plan, readSendAt } from '@flowpost/domain'
import type { z } from 'zod'
import { refused } from '../../shared/api-error.ts'
import { toId } from '../../shared/ids.ts'
import type { FlowRow } from '../flows/flow.wire.ts'

/** The body of a send, parsed. */
export type SendBody = z.output<typeof NotificationSend>

/**
 * When a message is to be sent; `undefined`: now.
 * @throws ApiError `validation_failed` for more than 30 days ahead.
 */
export const sendAt = (body: SendBody, now: Date): Date | undefined => {
  const schedule = readSendAt(body.send_at, now.getTime())
  if (!schedule.ok) throw refused(schedule)
  return schedule.at === undefined ? undefined : new Date(schedule.at)
}

/**
 * Decides which flows a notification triggers, with which targets, and renders the message for each.
 * @throws ApiError for every way in which the targets cannot be routed.
 */
export const planNotification = (flows: readonly FlowRow[], body: SendBody, channels: Channels): NotificationPlan<FlowRow> => {
  const planned = plan(flows, body, { idOf: ({ id }) => toId('flow', id), channelOf: channels.get })
  if (!planned.ok) throw refused(planned)
  return planned
}
