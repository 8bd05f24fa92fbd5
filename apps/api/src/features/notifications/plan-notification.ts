import type { NotificationSend } from '@flowpost/contract'
import {
  type CaptureDecision,
  type CaptureMode,
  type Channels,
  decideCapture,
  type NotificationPlan,
  parseSchedule as parseFields,
  planDeliveries,
  planNotification as planWithTemplates,
  rejectUnknownSimulations,
} from '@flowpost/domain'
import type { z } from 'zod'
import { rejected } from '../../shared/api-error.ts'
import { toId, type Uuid } from '../../shared/ids.ts'
import type { CandidateFlow, FlowRow } from '../flows/flow.serializer.ts'

/** The parsed body of a request to send a notification. */
export type SendBody = z.output<typeof NotificationSend>

/** Reads flows' templates. Returns the templates keyed by flow id, without those of deleted flows. */
export type LoadTemplates = (ids: readonly Uuid[]) => Promise<ReadonlyMap<Uuid, string>>

/** Returns whether there is a credential for sending through a provider. */
export type HasCredential = (sourceType: string) => Promise<boolean>

/** The period in which a notification's messages may be sent. */
export interface Schedule {
  /** The time at which the notification is due; `undefined` means now. */
  readonly at: Date | undefined
  /** From this time on, no attempt may start; `undefined` means that the notification does not expire. */
  readonly expiresAt: Date | undefined
}

const dateOf = (ms: number | undefined): Date | undefined => (ms === undefined ? undefined : new Date(ms))

/**
 * Returns the schedule of a notification.
 * @throws ApiError `validation_failed` if `send_at` or `expires_at` is out of range. In this case, the error also lists any
 * issues with `target`, so that the client can fix everything at once. If the times are valid, this function does not check
 * `target`, because {@link planNotification} checks it.
 */
export const parseSchedule = (body: SendBody, now: Date, channels: Channels): Schedule => {
  const schedule = parseFields(body, now.getTime(), channels.get)
  if (!schedule.ok) throw rejected(schedule)
  return { at: dateOf(schedule.at), expiresAt: dateOf(schedule.expiresAt) }
}

/**
 * Decides which flows a notification triggers and to which targets each flow delivers, and renders each flow's message.
 * @param onRendered called with the number of rendered bytes.
 * @throws ApiError when the request is rejected, for example because a target matches no active flow.
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

/**
 * Returns the flows with their templates. Loads templates only for the flows that are triggered. All other flows get an
 * empty template. Omits triggered flows that no longer exist.
 */
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

/**
 * Rejects a notification that was sent with a test key if a target looks like a simulated recipient but is not one.
 * Such a target is probably misspelled.
 * @throws ApiError `validation_failed`.
 */
export const requireKnownSimulations = ({ matched }: Pick<NotificationPlan<FlowRow>, 'matched'>, channels: Channels): void => {
  const rejection = rejectUnknownSimulations(matched, channels.get)
  if (rejection) throw rejected(rejection)
}

/**
 * Decides for each provider of a notification whether its messages are captured: stored for the outbox instead of sent.
 * Also returns the providers whose messages can be neither captured nor sent, because the credential is missing.
 */
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
