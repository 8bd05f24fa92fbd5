import { notFound, rejected } from '@flowpost/contract/rules'
import {
  type CaptureDecision,
  decideCapture,
  explainPlan,
  findSendIssues,
  type NotificationPlan,
  parseSchedule as parseFields,
  planNotification as plan,
  rejectUnknownSimulations,
  type Schedule,
} from '@flowpost/domain'
import type { Principal } from '../http/handler.ts'
import type { NotificationPreview, NotificationSend } from '../state/api-types.ts'
import { type MockContext, providerOf } from '../state/mock-context.ts'
import { type FlowRecord, integrationKey } from '../state/store.ts'
import { findProject, findProjectByKey } from './projects.ts'
import { findSuppression } from './suppressions.ts'

/** Returns whether the project itself has a credential for the provider. */
export const hasOwnCredential = ({ store }: MockContext, projectId: string, sourceType: string): boolean =>
  store.integrations.has(integrationKey(projectId, sourceType))

/** Returns whether the project or the deployment has a credential for the provider. */
export const hasCredential = (context: MockContext, projectId: string, sourceType: string): boolean =>
  hasOwnCredential(context, projectId, sourceType) || context.settings.deploymentCredentials.has(sourceType)

/**
 * Decides for each provider in a plan whether its messages are captured, are sent, or cannot be sent because a credential
 * is missing. With a test key, all messages are captured.
 *
 * @throws {ApiError} `validation_failed` when a test key sends to an unknown simulated recipient, such as a misspelled one.
 */
export const decidePlanCapture = (
  context: MockContext,
  { mode }: Principal,
  projectId: string,
  { matched }: Pick<NotificationPlan<FlowRecord>, 'matched'>,
): CaptureDecision => {
  const isTest = mode === 'test'
  const rejection = isTest ? rejectUnknownSimulations(matched, (sourceType) => providerOf(context, sourceType)) : undefined
  if (rejection) throw rejected(rejection)
  const sourceTypes = matched.map(({ flow }) => flow.source_type)
  return decideCapture(isTest ? 'on' : context.settings.capture, sourceTypes, (sourceType) => hasCredential(context, projectId, sourceType))
}

/** The parsed body of a notification request. */
export type SendBody = NotificationSend

/** A notification request with ids instead of the keys of its project and flow. */
export type ResolvedBody = SendBody & { readonly project_id: string }

/**
 * Replaces the keys in a notification request with ids.
 *
 * @throws {ApiError} `not_found` when the credential cannot access a project with the given key, or the project has no flow
 * with the given key.
 */
export const resolveProjectAndFlow = (context: MockContext, principal: Principal, body: SendBody): ResolvedBody => {
  const { project: projectKey, flow: flowKey, ...rest } = body
  const id = body.project_id ?? findProjectByKey(context, principal, projectKey)?.id
  if (id === undefined) throw notFound()
  if (flowKey === undefined) return { ...rest, project_id: id }
  const project = findProject(context, principal, id)
  const flow = [...context.store.flows.values()].find(({ project_id, key }) => project_id === project.id && key === flowKey)
  if (!flow) throw notFound()
  return { ...rest, project_id: id, flow_id: flow.id }
}

/** Validates the times and the `target` of a notification request, and returns the issues. */
export const findSendIssuesOf = (context: MockContext, body: unknown) =>
  findSendIssues(body, context.clock.now(), (sourceType) => providerOf(context, sourceType))

/**
 * Returns a notification's send time and expiry time.
 *
 * @throws {ApiError} `validation_failed` when `send_at` or `expires_at` is out of range. The error also lists any issues with
 * `target`.
 */
export const parseSchedule = (context: MockContext, body: SendBody): Schedule => {
  const schedule = parseFields(body, context.clock.now(), (sourceType) => providerOf(context, sourceType))
  if (!schedule.ok) throw rejected(schedule)
  return schedule
}

/**
 * Returns the flows that a notification may trigger: the given flow, or all flows in the project.
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
 * @throws {ApiError} When the request cannot be planned, for example because no flow is active or a target matches no
 * flow.
 */
export const planNotification = (context: MockContext, flows: readonly FlowRecord[], body: SendBody): NotificationPlan<FlowRecord> => {
  const planned = plan(flows, body, { idOf: ({ id }) => id, channelOf: (sourceType) => providerOf(context, sourceType) })
  if (!planned.ok) throw rejected(planned)
  return planned
}

/**
 * Previews a notification's deliveries without storing the notification.
 *
 * @throws {ApiError} When the request is invalid, the project or flow does not exist, or no flow is active.
 */
export const previewNotification = (context: MockContext, principal: Principal, request: SendBody): NotificationPreview => {
  const body = resolveProjectAndFlow(context, principal, request)
  parseSchedule(context, body)
  const project = findProject(context, principal, body.project_id)
  const plan = planNotification(context, matchingFlows(context, project.id, body.flow_id), body)
  const decision = decidePlanCapture(context, principal, project.id, plan)
  return {
    flows: explainPlan(
      plan,
      decision,
      (source_type, target) => findSuppression(context, project.id, { source_type, target }) !== undefined,
    ),
  }
}
