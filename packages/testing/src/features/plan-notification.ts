import { notFound, rejected } from '@flowpost/contract/rules'
import {
  type CaptureDecision,
  decideCapture,
  explainPlan,
  type NotificationPlan,
  parseSendAt as parseSchedule,
  planNotification as plan,
} from '@flowpost/domain'
import type { Principal } from '../http/handler.ts'
import type { NotificationPreview, NotificationSend } from '../state/api-types.ts'
import { type MockContext, providerOf } from '../state/mock-context.ts'
import { type FlowRecord, integrationKey } from '../state/store.ts'
import { findProject } from './projects.ts'

/** Returns whether the project itself has a credential for the provider. */
export const hasOwnCredential = ({ store }: MockContext, projectId: string, sourceType: string): boolean =>
  store.integrations.has(integrationKey(projectId, sourceType))

/** Returns whether the project or the deployment has a credential for the provider. */
export const hasCredential = (context: MockContext, projectId: string, sourceType: string): boolean =>
  hasOwnCredential(context, projectId, sourceType) || context.settings.deploymentCredentials.has(sourceType)

/** Decides which source types of a project are captured and which lack credentials. */
export const decideProjectCapture = (context: MockContext, projectId: string, sourceTypes: Iterable<string>): CaptureDecision =>
  decideCapture(context.settings.capture, sourceTypes, (sourceType) => hasCredential(context, projectId, sourceType))

/** The parsed body of a notification request. */
export type SendBody = NotificationSend

/**
 * Returns the scheduled time in milliseconds since the epoch, or `undefined` to send immediately.
 *
 * @throws {ApiError} `validation_failed` when it is more than 30 days ahead.
 */
export const parseSendAt = (body: SendBody, now: number): number | undefined => {
  const schedule = parseSchedule(body.send_at, now)
  if (!schedule.ok) throw rejected(schedule)
  return schedule.at
}

/**
 * Returns the flows that a notification may trigger: the given one, or all flows of the project.
 *
 * @throws {ApiError} `not_found` when the given flow does not belong to the project.
 */
export const matchingFlows = ({ store }: MockContext, projectId: string, flowId: string | undefined): FlowRecord[] => {
  const flows = [...store.flows.values()].filter((flow) => flow.project_id === projectId && (flowId === undefined || flow.id === flowId))
  if (flowId !== undefined && flows.length === 0) throw notFound()
  return flows
}

/**
 * Decides which flows a notification triggers, resolves their targets and renders the message for each.
 *
 * @throws {ApiError} When a target cannot be routed.
 */
export const planNotification = (context: MockContext, flows: readonly FlowRecord[], body: SendBody): NotificationPlan<FlowRecord> => {
  const planned = plan(flows, body, { idOf: ({ id }) => id, channelOf: (sourceType) => providerOf(context, sourceType) })
  if (!planned.ok) throw rejected(planned)
  return planned
}

/**
 * Previews the deliveries of a notification without storing it.
 *
 * @throws {ApiError} When the request is invalid or the project does not exist.
 */
export const previewNotification = (context: MockContext, principal: Principal, body: SendBody): NotificationPreview => {
  parseSendAt(body, context.clock.now())
  const project = findProject(context, principal, body.project_id)
  const plan = planNotification(context, matchingFlows(context, project.id, body.flow_id), body)
  const sourceTypes = plan.matched.map(({ flow }) => flow.source_type)
  return { flows: explainPlan(plan, decideProjectCapture(context, project.id, sourceTypes)) }
}
