import { api, type FieldError } from '@flowpost/contract'
import { isNotModified } from '@flowpost/domain'
import { initServer } from '@ts-rest/express'
import type { Request } from 'express'
import type { Principal } from '../../auth/principal.ts'
import type { Database } from '../../database/database.ts'
import { decodeCursor, pageOf } from '../../http/cursor.ts'
import { etagOf } from '../../http/etag.ts'
import { principalOf } from '../../http/request-context.ts'
import { notFound } from '../../shared/api-error.ts'
import { getProject } from '../projects/project.queries.ts'
import { checkIntegration } from './check-integration.ts'
import { findIntegration, getIntegration, listIntegrations } from './integration.queries.ts'
import { toIntegration } from './integration.serializer.ts'
import { deleteIntegration, type IntegrationWriteDeps, putIntegration } from './write-integration.ts'

/** What the routes of integrations need. */
export interface IntegrationRoutesDeps extends IntegrationWriteDeps {
  readonly database: Database
}

const list = 'integrations'

/** The routes of integrations. */
export const createIntegrationRoutes = (deps: IntegrationRoutesDeps) => {
  const { database } = deps

  return initServer().router(api.integrations, {
    list: async ({ params, query, res }) => {
      const { limit, cursor } = query
      const filters = { project_id: params.project_id }
      const after = cursor === undefined ? undefined : decodeCursor(list, filters, cursor)
      const project = await getProject(database, principalOf(res), params.project_id)
      const rows = await listIntegrations(database, project.id, limit + 1, after)
      return { status: 200, body: pageOf({ list, filters, limit, rows, toResponse: toIntegration }) }
    },

    get: async ({ params, req, res }) => {
      const integration = toIntegration(await getIntegration(database, principalOf(res), params))
      const etag = etagOf(integration)
      res.set('ETag', etag)
      return isNotModified(req.get('if-none-match'), etag) ? { status: 304, body: undefined } : { status: 200, body: integration }
    },

    put: async ({ params, body, req, res }) => {
      const row = await database.unitOfWork((transaction) =>
        putIntegration(transaction, deps, principalOf(res), params, req.get('if-match'), body),
      )
      const integration = toIntegration(row)
      res.set('ETag', etagOf(integration))
      return { status: 200, body: integration }
    },

    delete: async ({ params, req, res }) => {
      await deleteIntegration(database, deps, principalOf(res), params, req.get('if-match'))
      return { status: 204, body: undefined }
    },
  })
}

/**
 * The faults that the provider's schemas find in the body of a PUT, to be told together with those of the
 * contract's. A project or provider that there is not is told first: nothing can be said of the body then.
 */
export const createIntegrationBodyCheck =
  (deps: Pick<IntegrationRoutesDeps, 'database' | 'registry' | 'encryption'>) =>
  async (request: Request, principal: Principal): Promise<readonly FieldError[]> => {
    const { project_id, source_type } = request.params
    const provider = deps.registry.get(String(source_type))
    if (!provider) throw notFound()
    const project = await getProject(deps.database, principal, String(project_id))
    const stored = await findIntegration(deps.database, project.id, provider.id)
    const body: unknown = request.body
    return checkIntegration(deps.encryption, provider, stored, typeof body === 'object' && body !== null ? body : {}).faults
  }
