import { notFound } from '@flowpost/contract/rules'
import type { Principal } from '../http/handler.ts'
import type { MockContext } from '../state/mock-context.ts'
import type { NotificationRecord } from '../state/store.ts'

/** The filters of a notification list. */
export interface NotificationFilters {
  readonly project_id?: string | undefined
  readonly flow_id?: string | undefined
  readonly status?: string | undefined
}

/** Returns whether a notification belongs to the user and matches the filters. */
export const matchesFilters = (notification: NotificationRecord, principal: Principal, filters: NotificationFilters): boolean => {
  const projectId = filters.project_id ?? principal.projectId
  return (
    notification.userId === principal.userId &&
    (projectId === undefined || notification.project_id === projectId) &&
    (filters.status === undefined || notification.status === filters.status) &&
    (filters.flow_id === undefined || notification.deliveries.some(({ flow_id }) => flow_id === filters.flow_id))
  )
}

/**
 * Rejects a project or flow that the user never had. A deleted one is valid as long as its log exists.
 *
 * @throws {ApiError} `not_found`.
 */
export const requireVisibleFilters = (context: MockContext, principal: Principal, { project_id, flow_id }: NotificationFilters): void => {
  if (project_id !== undefined && !isVisibleProject(context, principal, project_id)) throw notFound()
  if (flow_id !== undefined && !isVisibleFlow(context, principal, flow_id)) throw notFound()
}

const isVisibleProject = ({ store }: MockContext, principal: Principal, id: string): boolean => {
  if (principal.projectId !== undefined && principal.projectId !== id) return false
  return (
    store.projects.get(id)?.userId === principal.userId ||
    appearsInLog(store.notifications, principal, (notification) => notification.project_id === id)
  )
}

const isVisibleFlow = ({ store }: MockContext, principal: Principal, id: string): boolean => {
  const projectId = store.flows.get(id)?.project_id ?? ''
  const isOwn = store.projects.get(projectId)?.userId === principal.userId && (principal.projectId ?? projectId) === projectId
  return isOwn || appearsInLog(store.notifications, principal, ({ deliveries }) => deliveries.some(({ flow_id }) => flow_id === id))
}

const appearsInLog = (
  notifications: ReadonlyMap<string, NotificationRecord>,
  principal: Principal,
  test: (notification: NotificationRecord) => boolean,
): boolean => {
  for (const notification of notifications.values()) if (matchesFilters(notification, principal, {}) && test(notification)) return true
  return false
}
