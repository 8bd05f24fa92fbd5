import { api } from '@flowpost/contract'
import { isNotModified } from '@flowpost/contract/rules'
import { initServer } from '@ts-rest/express'
import { type Database, timestamp, timestampOrNull, type UnitOfWork } from '../../database/database.ts'
import type { BodyCheck } from '../../http/check-bodies.ts'
import { etagOf } from '../../http/etag.ts'
import type { Idempotency } from '../../http/idempotency.ts'
import { decodeCursor, pageOf } from '../../http/pagination.ts'
import { authorOf, contextOf, principalOf } from '../../http/request-context.ts'
import { notFound } from '../../shared/api-error.ts'
import { getProject } from '../projects/project.queries.ts'
import { type DeleteIntegrationDeps, deleteIntegration } from './delete-integration.ts'
import { rotateInbound } from './inbound-address.ts'
import { findIntegration, getIntegration, listIntegrations } from './integration.queries.ts'
import { toIntegration } from './integration.serializer.ts'
import { mergeIntegrationBody } from './integration-secrets.ts'
import { type PutIntegrationDeps, putIntegration } from './put-integration.ts'

/** The dependencies of {@link createIntegrationRoutes}. */
export interface IntegrationRoutesDeps extends PutIntegrationDeps, DeleteIntegrationDeps {
  readonly database: Database
  readonly idempotency: Idempotency
}

const list = 'integrations'

/** Creates the integration routes. */
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
        putIntegration(transaction, deps, authorOf(res), params, req.get('if-match'), body),
      )
      const integration = toIntegration(row)
      res.set('ETag', etagOf(integration))
      return { status: 200, body: integration }
    },

    delete: async ({ params, req, res }) => {
      await deleteIntegration(database, deps, authorOf(res), params, req.get('if-match'), contextOf(res).log)
      return { status: 204, body: undefined }
    },

    rotateInbound: async ({ params, req, res }) => {
      const author = authorOf(res)
      const work = async (transaction: UnitOfWork) => {
        const { path, ...row } = await rotateInbound(transaction, deps, author, params)
        const rotated_at = timestamp(row.rotated_at)
        return { status: 200, body: { path, rotated_at, previous_expires_at: timestampOrNull(row.previous_inbound_expires_at) } } as const
      }
      const response = await deps.idempotency.run(req, author, null, work, { replayable: false })
      res.set(response.headers)
      return { status: 200, body: response.body }
    },
  })
}

/**
 * Returns the body checks of the integration routes. The check of a PUT body needs the provider's schemas and the stored
 * integration, so it first rejects an unknown provider or project.
 */
export const integrationBodyChecks = ({
  database,
  registry,
  encryption,
}: Pick<IntegrationRoutesDeps, 'database' | 'registry' | 'encryption'>): ReadonlyMap<unknown, BodyCheck> => {
  const checkPut: BodyCheck = async (request, principal) => {
    const { project_id, source_type } = request.params
    const provider = registry.get(String(source_type))
    if (!provider) throw notFound()
    const project = await getProject(database, principal, String(project_id))
    const stored = await findIntegration(database, project.id, provider.id)
    const body: unknown = request.body
    return mergeIntegrationBody(encryption, provider, stored, typeof body === 'object' && body !== null ? body : {}).errors
  }
  return new Map([[api.integrations.put, checkPut]])
}
