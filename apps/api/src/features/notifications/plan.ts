import type { NotificationSend } from '@flowpost/contract'
import { type Channels, type NotificationPlan, planNotification as plan, planDeliveries, readSendAt } from '@flowpost/domain'
import type { z } from 'zod'
import { refused } from '../../shared/api-error.ts'
import { toId, type Uuid } from '../../shared/ids.ts'
import type { CandidateFlow, FlowRow } from '../flows/flow.serializer.ts'

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

/** Reads the templates of these flows, as far as they are still there. */
export type TemplatesOf = (ids: readonly Uuid[]) => Promise<ReadonlyMap<Uuid, string>>

/**
 * Decides which flows a notification triggers, with which targets, and renders the message for each.
 * @param onRendered Is told how many bytes were rendered.
 * @throws ApiError for every way in which the targets cannot be routed.
 */
export const planNotification = async (
  flows: readonly CandidateFlow[],
  body: SendBody,
  channels: Channels,
  templatesOf: TemplatesOf,
  onRendered: (bytes: number) => void,
): Promise<NotificationPlan<FlowRow>> => {
  const whole = flows.every(hasTemplate) ? flows : await withTemplates(flows, body, channels, templatesOf)
  const planned = plan(whole, body, { idOf, channelOf: channels.get }, onRendered)
  if (!planned.ok) throw refused(planned)
  return planned
}

const idOf = ({ id }: CandidateFlow): string => toId('flow', id)

const hasTemplate = (flow: CandidateFlow): flow is FlowRow => flow.message_template !== null

/** Reads the templates of the flows that are triggered, once it is certain that the targets can be routed. */
const withTemplates = async (
  flows: readonly CandidateFlow[],
  body: SendBody,
  channels: Channels,
  templatesOf: TemplatesOf,
): Promise<readonly FlowRow[]> => {
  const routed = planDeliveries({ flows, named: body.flow_id !== undefined, override: body.target, idOf, channelOf: channels.get })
  if (!routed.ok) throw refused(routed)
  const triggered = new Set(routed.routed.map(({ flow }) => flow.id))
  const templates = await templatesOf([...triggered])
  return flows.flatMap((flow) => {
    const message_template = triggered.has(flow.id) ? templates.get(flow.id) : ''
    return message_template === undefined ? [] : [{ ...flow, message_template }]
  })
}
