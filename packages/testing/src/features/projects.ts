import { isNotModified, keyTaken, notFound, projectNameTaken } from '@flowpost/contract/rules'
import { etagOf, requireMatch } from '../http/etag.ts'
import type { Handlers, Principal } from '../http/handler.ts'
import { createPage, parsePageRequest } from '../http/pagination.ts'
import type { Project } from '../state/api-types.ts'
import { type MockContext, timeOfChange, timestamp } from '../state/mock-context.ts'
import type { ProjectRecord } from '../state/store.ts'
import { type ChangeOrigin, recordChange, recordDeletion } from './settings-history.ts'

const toProject = ({ userId: _, ...project }: ProjectRecord): Project => project

/**
 * Returns the project with the given id, if the principal may access it.
 *
 * @throws {ApiError} `not_found`.
 */
export const findProject = ({ store }: MockContext, principal: Principal, id: string): ProjectRecord => {
  const project = store.projects.get(id)
  const isBoundElsewhere = principal.projectId !== undefined && principal.projectId !== id
  if (!project || project.userId !== principal.userId || isBoundElsewhere) throw notFound()
  return project
}

/** Returns the user's project with the given key, unless the credential is bound to another project. */
export const findProjectByKey = ({ store }: MockContext, { userId, projectId }: Principal, key: unknown): ProjectRecord | undefined =>
  [...store.projects.values()].find(
    (project) => project.userId === userId && project.key === key && (projectId ?? project.id) === project.id,
  )

/**
 * Rejects a name that another of the user's projects already has.
 *
 * @param prefix The JSON Pointer to the project in the body.
 * @throws {ApiError} `project_name_taken`.
 */
export const requireAvailableName = (context: MockContext, userId: string, name: string, ownId?: string, prefix = ''): void => {
  for (const project of context.store.projects.values()) {
    if (project.userId !== userId || project.name !== name || project.id === ownId) continue
    throw projectNameTaken({ prefix })
  }
}

/**
 * Rejects a key that another of the user's projects already has.
 *
 * @throws {ApiError} `key_taken`.
 */
const requireAvailableKey = (context: MockContext, userId: string, key: string | null, ownId?: string): void => {
  for (const project of context.store.projects.values())
    if (key !== null && project.userId === userId && project.key === key && project.id !== ownId) throw keyTaken('project')
}

/** Creates the handlers of the project operations. `cancelPending` cancels the pending deliveries of a deleted project. */
export const createProjects = (context: MockContext, cancelPending: (of: { projectId: string }) => void): Handlers<'projects'> => {
  const { store } = context

  const remove = ({ headers, ...origin }: ChangeOrigin & { readonly headers: Headers }, id: string) => {
    const project = findProject(context, origin.principal, id)
    requireMatch(headers.get('if-match'), toProject(project))
    recordDeletion(context, origin, project)
    // Deletes the endpoints and events first, so that canceling the deliveries stores no new events.
    for (const endpoint of store.eventEndpoints.values()) if (endpoint.projectId === project.id) store.eventEndpoints.delete(endpoint.id)
    for (const event of store.events.values()) if (event.projectId === project.id) store.events.delete(event.id)
    cancelPending({ projectId: project.id })
    store.projects.delete(project.id)
    for (const flow of store.flows.values()) if (flow.project_id === project.id) store.flows.delete(flow.id)
    for (const [key, integration] of store.integrations) if (integration.projectId === project.id) store.integrations.delete(key)
    for (const { id, projectId } of store.suppressions.values()) if (projectId === project.id) store.suppressions.delete(id)
    for (const key of store.apiKeys.values()) if (key.projectId === project.id) store.apiKeys.delete(key.id)
    return { status: 204, body: undefined } as const
  }

  return {
    create: ({ principal, requestId, body }) => {
      const { name, key = null } = body
      requireAvailableName(context, principal.userId, name)
      requireAvailableKey(context, principal.userId, key)
      const now = timestamp(context)
      const record = { id: context.generateId('project'), userId: principal.userId, name, key, created_at: now, updated_at: now }
      store.projects.set(record.id, record)
      recordChange(context, { principal, requestId }, { kind: 'project', after: record })
      const project = toProject(record)
      return { status: 201, body: project, headers: { Location: `/v1/settings/projects/${project.id}`, ETag: etagOf(project) } }
    },

    list: ({ principal, query }) => {
      const request = parsePageRequest('projects', 'oldest first', { user_id: principal.userId }, query)
      const isVisible = ({ id, userId }: ProjectRecord) =>
        userId === principal.userId && (principal.projectId === undefined || principal.projectId === id)
      return { status: 200, body: createPage(request, [...store.projects.values()].filter(isVisible), toProject) }
    },

    get: ({ principal, params, headers }) => {
      const project = toProject(findProject(context, principal, params.project_id ?? ''))
      const etag = etagOf(project)
      return isNotModified(headers.get('if-none-match'), etag)
        ? { status: 304, body: undefined, headers: { ETag: etag } }
        : { status: 200, body: project, headers: { ETag: etag } }
    },

    update: ({ principal, requestId, params, headers, body }) => {
      const before = findProject(context, principal, params.project_id ?? '')
      requireMatch(headers.get('if-match'), toProject(before))
      const { name, key = before.key } = body
      requireAvailableName(context, principal.userId, name, before.id)
      requireAvailableKey(context, principal.userId, key, before.id)
      const after = { ...before, name, key, updated_at: timeOfChange(context, before) }
      store.projects.set(after.id, after)
      recordChange(context, { principal, requestId }, { kind: 'project', before, after })
      const project = toProject(after)
      return { status: 200, body: project, headers: { ETag: etagOf(project) } }
    },

    delete: (call) => remove(call, call.params.project_id ?? ''),

    deleteByQuery: (call) => remove(call, call.query.project_id),
  }
}
