import { notFound, rejected } from '@flowpost/contract/rules'
import { type NotificationPlan, parseSendAt, planNotification as plan } from '@flowpost/domain'
import type { FlowRecord } from '../state/records.ts'
import type { NotificationSend } from '../state/wire.ts'
import { providerOf, type World } from '../state/world.ts'

/** The body of a send, parsed. */
export type SendBody = NotificationSend

/**
 * When a message is to be sent, in milliseconds since the epoch; `undefined`: now.
 * @throws ApiError `validation_failed` for more than 30 days ahead.
 */
export const sendAt = (body: SendBody, now: number): number | undefined => {
  const schedule = parseSendAt(body.send_at, now)
  if (!schedule.ok) throw rejected(schedule)
  return schedule.at
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
export const planNotification = (world: World, flows: readonly FlowRecord[], body: SendBody): NotificationPlan<FlowRecord> => {
  const planned = plan(flows, body, { idOf: ({ id }) => id, channelOf: (sourceType) => providerOf(world, sourceType) })
  if (!planned.ok) throw rejected(planned)
  return planned
}
