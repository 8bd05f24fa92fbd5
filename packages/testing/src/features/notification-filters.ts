import { notFound } from '@flowpost/contract/rules'
import type { Principal } from '../http/call.ts'
import type { NotificationRecord } from '../state/records.ts'
import type { World } from '../state/world.ts'

/** What a list of notifications is narrowed to. */
export interface NotificationFilters {
  readonly project_id?: string | undefined
  readonly flow_id?: string | undefined
  readonly status?: string | undefined
}

/** Whether a notification is the user's and within the filters. */
export const isWithin = (notification: NotificationRecord, principal: Principal, filters: NotificationFilters): boolean => {
  const projectId = filters.project_id ?? principal.projectId
  return (
    notification.userId === principal.userId &&
    (projectId === undefined || notification.project_id === projectId) &&
    (filters.status === undefined || notification.status === filters.status) &&
    (filters.flow_id === undefined || notification.deliveries.some(({ flow_id }) => flow_id === filters.flow_id))
  )
}

/**
 * Refuses a project or a flow that this user never had; a deleted one is known as long as its log is.
 * @throws ApiError `not_found`.
 */
export const requireKnown = (world: World, principal: Principal, { project_id, flow_id }: NotificationFilters): void => {
  if (project_id !== undefined && !isKnownProject(world, principal, project_id)) throw notFound()
  if (flow_id !== undefined && !isKnownFlow(world, principal, flow_id)) throw notFound()
}

const isKnownProject = ({ store }: World, principal: Principal, id: string): boolean => {
  if (principal.projectId !== undefined && principal.projectId !== id) return false
  return store.projects.get(id)?.userId === principal.userId || isLogged(store.notifications, principal, (each) => each.project_id === id)
}

const isKnownFlow = ({ store }: World, principal: Principal, id: string): boolean => {
  const projectId = store.flows.get(id)?.project_id ?? ''
  const isOwn = store.projects.get(projectId)?.userId === principal.userId && (principal.projectId ?? projectId) === projectId
  return isOwn || isLogged(store.notifications, principal, ({ deliveries }) => deliveries.some(({ flow_id }) => flow_id === id))
}

const isLogged = (
  notifications: ReadonlyMap<string, NotificationRecord>,
  principal: Principal,
  test: (notification: NotificationRecord) => boolean,
): boolean => {
  for (const notification of notifications.values()) if (isWithin(notification, principal, {}) && test(notification)) return true
  return false
}
