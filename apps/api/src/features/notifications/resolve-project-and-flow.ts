import type { Principal } from '../../auth/principal.ts'
import { projectTag } from '../../cache-tags.ts'
import type { Queryable } from '../../database/database.ts'
import { notFound } from '../../shared/api-error.ts'
import type { Cache } from '../../shared/cache.ts'
import { toId, type Uuid } from '../../shared/ids.ts'
import { findFlowByKey } from '../flows/flow.queries.ts'
import { findByKey, projectUuid } from '../projects/project.queries.ts'
import type { SendBody } from './plan-notification.ts'

/** The body of a send request with ids instead of the keys of its project and flow. */
export interface ResolvedBody extends SendBody {
  readonly project_id: string
}

const entryBytes = 300

const isResolved = (body: SendBody): body is ResolvedBody =>
  body.project_id !== undefined && body.project === undefined && body.flow === undefined

const findProject = async (on: Queryable, principal: Principal, { project_id, project }: SendBody): Promise<Uuid | undefined> => {
  if (project_id !== undefined) return projectUuid(principal, project_id)
  return project === undefined ? undefined : (await findByKey(on, principal, project))?.id
}

/**
 * Replaces the project and flow keys in the body of a send request with ids. If the body has no keys, returns it
 * unchanged and looks up nothing.
 * @param cache the settings cache, or an object that caches nothing.
 * @throws ApiError `not_found` if the user has no such project, or the project has no such flow.
 */
export const resolveProjectAndFlow = async (
  on: Queryable,
  cache: Pick<Cache, 'get'>,
  principal: Principal,
  body: SendBody,
): Promise<ResolvedBody> => {
  if (isResolved(body)) return body
  const find = async () => {
    const projectId = await findProject(on, principal, body)
    if (projectId === undefined) return undefined
    const flowId = body.flow === undefined ? undefined : await findFlowByKey(on, principal.userId, projectId, body.flow)
    if (body.flow !== undefined && flowId === undefined) return undefined
    const ids = { project_id: toId('project', projectId), ...(flowId === undefined ? {} : { flow_id: toId('flow', flowId) }) }
    return { value: ids, tags: [projectTag(projectId)], bytes: entryBytes }
  }
  // The credential's project is part of the cache key, because a credential that is bound to one project must not find
  // other projects.
  const key = `keys:${JSON.stringify([principal.userId, principal.projectId, body.project_id, body.project, body.flow])}`
  const ids = await cache.get(key, find)
  if (!ids) throw notFound()
  const { project: _project, flow: _flow, ...rest } = body
  return { ...rest, ...ids }
}
