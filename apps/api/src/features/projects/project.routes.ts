import { api } from '@flowpost/contract'
import { isNotModified } from '@flowpost/contract/rules'
import { initServer } from '@ts-rest/express'
import type { Database } from '../../database/database.ts'
import { etagOf } from '../../http/etag.ts'
import type { Idempotency } from '../../http/idempotency.ts'
import { decodeCursor, pageOf } from '../../http/pagination.ts'
import { authorOf, contextOf, principalOf } from '../../http/request-context.ts'
import type { Clock } from '../../shared/clock.ts'
import type { Uuid } from '../../shared/ids.ts'
import { createProject } from './create-project.ts'
import { deleteProject } from './delete-project.ts'
import type { PendingChange } from './delete-with-pending-change.ts'
import { getProject, listProjects } from './project.queries.ts'
import { toProject } from './project.serializer.ts'
import { updateProject } from './update-project.ts'

/** The dependencies of {@link createProjectRoutes}. */
export interface ProjectRoutesDeps {
  readonly database: Database
  readonly clock: Clock
  readonly idempotency: Idempotency
  /** Returns the change that cancels the pending deliveries of a project that is being deleted. */
  readonly cancelPending: (projectId: Uuid) => PendingChange
}

const list = 'projects'

/** Creates the project routes. */
export const createProjectRoutes = ({ database, clock, idempotency, cancelPending }: ProjectRoutesDeps) =>
  initServer().router(api.projects, {
    create: async ({ body, req, res }) => {
      const author = authorOf(res)
      const response = await idempotency.run(req, author, body, async (transaction) => {
        const project = toProject(await createProject(transaction, clock, author, body))
        return { status: 201, body: project, headers: { Location: `/v1/settings/projects/${project.id}`, ETag: etagOf(project) } }
      })
      res.set(response.headers)
      return { status: 201, body: response.body }
    },

    list: async ({ query, res }) => {
      const { limit, cursor } = query
      const principal = principalOf(res)
      const filters = { user_id: principal.userId }
      const after = cursor === undefined ? undefined : decodeCursor(list, filters, cursor)
      const rows = await listProjects(database, principal, limit + 1, after)
      return { status: 200, body: pageOf({ list, filters, limit, rows, toResponse: toProject }) }
    },

    get: async ({ params, req, res }) => {
      const project = toProject(await getProject(database, principalOf(res), params.project_id))
      const etag = etagOf(project)
      res.set('ETag', etag)
      return isNotModified(req.get('if-none-match'), etag) ? { status: 304, body: undefined } : { status: 200, body: project }
    },

    update: async ({ params, body, req, res }) => {
      const row = await database.unitOfWork((transaction) =>
        updateProject(transaction, clock, authorOf(res), params.project_id, req.get('if-match'), body),
      )
      const project = toProject(row)
      res.set('ETag', etagOf(project))
      return { status: 200, body: project }
    },

    delete: async ({ params, req, res }) => {
      await deleteProject(database, clock, authorOf(res), params.project_id, req.get('if-match'), cancelPending, contextOf(res).log)
      return { status: 204, body: undefined }
    },

    deleteByQuery: async ({ query, req, res }) => {
      await deleteProject(database, clock, authorOf(res), query.project_id, req.get('if-match'), cancelPending, contextOf(res).log)
      return { status: 204, body: undefined }
    },
  })
