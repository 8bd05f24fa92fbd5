import type { NotificationSend } from '@flowpost/contract'
import {
  type CaptureDecision,
  type CaptureMode,
  type Channels,
  decideCapture,
  type NotificationPlan,
  parseSendAt as parseSchedule,
  planDeliveries,
  planNotification as planWithTemplates,
} from '@flowpost/domain'
import type { z } from 'zod'
import { rejected } from '../../shared/api-error.ts'
import { toId, type Uuid } from '../../shared/ids.ts'
import type { CandidateFlow, FlowRow } from '../flows/flow.serializer.ts'

/** The parsed body of a request to send a notification. */
export type SendBody = z.output<typeof NotificationSend>

/** Reads the templates of flows. The result omits deleted flows. */
export type LoadTemplates = (ids: readonly Uuid[]) => Promise<ReadonlyMap<Uuid, string>>

/** Returns whether there is a credential for sending through a provider. */
export type HasCredential = (sourceType: string) => Promise<boolean>

/**
 * Returns the time at which a notification is due; `undefined` means now.
 * @throws ApiError `validation_failed` for a time more than 30 days ahead.
 */
export const parseSendAt = (body: SendBody, now: Date): Date | undefined => {
  const schedule = parseSchedule(body.send_at, now.getTime())
  if (!schedule.ok) throw rejected(schedule)
  return schedule.at === undefined ? undefined : new Date(schedule.at)
}

/**
 * Decides which flows a notification triggers and which targets each of them delivers to, and renders the message of each
 * flow.
 * @param onRendered called with the number of rendered bytes.
 * @throws ApiError when a rule rejects the request.
 */
export const planNotification = async (
  flows: readonly CandidateFlow[],
  body: SendBody,
  channels: Channels,
  loadTemplates: LoadTemplates,
  onRendered: (bytes: number) => void,
): Promise<NotificationPlan<FlowRow>> => {
  const complete = flows.every(hasTemplate) ? flows : await addTemplates(flows, body, channels, loadTemplates)
  const plan = planWithTemplates(complete, body, { idOf, channelOf: channels.get }, onRendered)
  if (!plan.ok) throw rejected(plan)
  return plan
}

const idOf = ({ id }: CandidateFlow): string => toId('flow', id)

const hasTemplate = (flow: CandidateFlow): flow is FlowRow => flow.message_template !== null

/** Adds the templates of the triggered flows. To find these flows, it plans the deliveries first. */
const addTemplates = async (
  flows: readonly CandidateFlow[],
  body: SendBody,
  channels: Channels,
  loadTemplates: LoadTemplates,
): Promise<readonly FlowRow[]> => {
  const deliveries = planDeliveries({ flows, named: body.flow_id !== undefined, override: body.target, idOf, channelOf: channels.get })
  if (!deliveries.ok) throw rejected(deliveries)
  const triggeredIds = new Set(deliveries.routed.map(({ flow }) => flow.id))
  const templates = await loadTemplates([...triggeredIds])
  return flows.flatMap((flow) => {
    const message_template = triggeredIds.has(flow.id) ? templates.get(flow.id) : ''
    return message_template === undefined ? [] : [{ ...flow, message_template }]
  })
}

/** Decides for each provider of a notification whether its messages are captured, that is, stored for the outbox instead of sent. */
export const planCapture = async (
  mode: CaptureMode,
  sourceTypes: Iterable<string>,
  hasCredential: HasCredential,
): Promise<CaptureDecision> => {
  const distinct = new Set(sourceTypes)
  const withCredential = new Set<string>()
  if (mode !== 'on') for (const sourceType of distinct) if (await hasCredential(sourceType)) withCredential.add(sourceType)
  return decideCapture(mode, distinct, (sourceType) => withCredential.has(sourceType))
}
