import { notFound } from '@flowpost/contract/rules'
import type { Principal } from '../http/handler.ts'
import { type MockContext, providerOf } from '../state/mock-context.ts'
import type { DeliveryRecord, NotificationRecord } from '../state/store.ts'

/** The filters of a notification list. */
export interface NotificationFilters {
  readonly project_id?: string | undefined
  readonly flow_id?: string | undefined
  readonly status?: string | undefined
  readonly reference?: string | undefined
  readonly target?: string | undefined
  readonly source_type?: string | undefined
  readonly failure_kind?: string | undefined
  readonly failure_code?: string | undefined
  readonly created_after?: string | undefined
  readonly created_before?: string | undefined
}

/** Returns the key that identifies a recipient, or `target` itself if the provider is unknown or rejects the target. */
const canonicalOf = (context: MockContext, sourceType: string, target: string): string => {
  const parsed = providerOf(context, sourceType)?.parseTarget(target)
  return parsed?.ok ? parsed.key : target
}

/** Returns whether a delivery matches all filters that apply to deliveries. */
const matchesDelivery = (context: MockContext, delivery: DeliveryRecord, filters: NotificationFilters): boolean => {
  const { flow_id, target, source_type, failure_kind, failure_code } = filters
  const isToTarget = () =>
    target === undefined ||
    canonicalOf(context, delivery.source_type, target) === canonicalOf(context, delivery.source_type, delivery.target)
  return (
    (flow_id === undefined || delivery.flow_id === flow_id) &&
    (source_type === undefined || delivery.source_type === source_type) &&
    (failure_kind === undefined || delivery.failure?.kind === failure_kind) &&
    (failure_code === undefined || delivery.failure?.code === failure_code) &&
    isToTarget()
  )
}

/** Returns whether a notification belongs to the user and matches the filters. */
export const matchesFilters = (
  context: MockContext,
  notification: NotificationRecord,
  principal: Principal,
  filters: NotificationFilters,
): boolean => {
  const projectId = filters.project_id ?? principal.projectId
  const { created_after: after, created_before: before } = filters
  const createdAt = Date.parse(notification.created_at)
  return (
    notification.userId === principal.userId &&
    (projectId === undefined || notification.project_id === projectId) &&
    (filters.status === undefined || notification.status === filters.status) &&
    (filters.reference === undefined || notification.reference === filters.reference) &&
    (after === undefined || createdAt >= Date.parse(after)) &&
    (before === undefined || createdAt < Date.parse(before)) &&
    notification.deliveries.some((delivery) => matchesDelivery(context, delivery, filters))
  )
}

/**
 * Rejects a project or flow that the credential cannot access. A deleted project or flow is valid while its
 * notifications are in the log.
 *
 * @throws {ApiError} `not_found`.
 */
export const requireVisibleFilters = (context: MockContext, principal: Principal, { project_id, flow_id }: NotificationFilters): void => {
  if (project_id !== undefined && !isVisibleProject(context, principal, project_id)) throw notFound()
  if (flow_id !== undefined && !isVisibleFlow(context, principal, flow_id)) throw notFound()
}

const isVisibleProject = (context: MockContext, principal: Principal, id: string): boolean => {
  const { store } = context
  if (principal.projectId !== undefined && principal.projectId !== id) return false
  return (
    store.projects.get(id)?.userId === principal.userId ||
    appearsInLog(context, principal, (notification) => notification.project_id === id)
  )
}

const isVisibleFlow = (context: MockContext, principal: Principal, id: string): boolean => {
  const { store } = context
  const projectId = store.flows.get(id)?.project_id ?? ''
  const isOwn = store.projects.get(projectId)?.userId === principal.userId && (principal.projectId ?? projectId) === projectId
  return isOwn || appearsInLog(context, principal, ({ deliveries }) => deliveries.some(({ flow_id }) => flow_id === id))
}

const appearsInLog = (context: MockContext, principal: Principal, test: (notification: NotificationRecord) => boolean): boolean => {
  for (const notification of context.store.notifications.values())
    if (matchesFilters(context, notification, principal, {}) && test(notification)) return true
  return false
}
