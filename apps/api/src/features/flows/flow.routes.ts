import { api, type FieldError } from '@flowpost/contract'
import { isNotModified } from '@flowpost/contract/rules'
import { type Channels, findChannelIssues, findTemplateIssues } from '@flowpost/domain'
import { initServer } from '@ts-rest/express'
import type { Database } from '../../database/database.ts'
import type { BodyCheck } from '../../http/check-bodies.ts'
import type { Idempotency } from '../../http/idempotency.ts'
import { decodeCursor, pageOf } from '../../http/pagination.ts'
import { authorOf, contextOf, principalOf } from '../../http/request-context.ts'
import { ApiError, toBodyErrors } from '../../shared/api-error.ts'
import { type CheckFlowDeps, checkFlow } from './check-flow.ts'
import { type CreateFlowDeps, createFlow } from './create-flow.ts'
import { type DeleteFlowDeps, deleteFlow } from './delete-flow.ts'
import { getFlow, listFlows } from './flow.queries.ts'
import { flowEtag, toFlow } from './flow.serializer.ts'
import { readPastFlow } from './past-flow.ts'
import { createFlowReader, type FlowReaderDeps } from './read-flow.ts'
import { replaceFlow, type UpdateFlowDeps, updateFlow } from './update-flow.ts'

/** The dependencies of {@link createFlowRoutes}. */
export interface FlowRoutesDeps extends CheckFlowDeps, CreateFlowDeps, DeleteFlowDeps, FlowReaderDeps, UpdateFlowDeps {
  readonly database: Database
  readonly idempotency: Idempotency
}

const list = 'flows'

/** Creates the flow routes. */
export const createFlowRoutes = (deps: FlowRoutesDeps) => {
  const { database, channels, idempotency } = deps
  const readFlow = createFlowReader(deps)
  const pathOf = (flow: { id: string; project_id: string }) => `/v1/settings/projects/${flow.project_id}/flows/${flow.id}`

  return initServer().router(api.flows, {
    create: async ({ params, body, req, res }) => {
      const author = authorOf(res)
      const response = await idempotency.run(req, author, body, async (transaction) => {
        const flow = toFlow(await createFlow(transaction, deps, author, params.project_id, body), channels)
        return { status: 201, body: flow, headers: { Location: pathOf(flow), ETag: flowEtag(flow) } }
      })
      res.set(response.headers)
      return { status: 201, body: response.body }
    },

    list: async ({ params, query, res }) => {
      const { limit, cursor } = query
      const filters = { project_id: params.project_id }
      const after = cursor === undefined ? undefined : decodeCursor(list, filters, cursor)
      const rows = await listFlows(database, principalOf(res), params.project_id, limit + 1, after)
      return { status: 200, body: pageOf({ list, filters, limit, rows, toResponse: (row) => toFlow(row, channels) }) }
    },

    get: async ({ params, query, req, res }) => {
      const { flow, etag } = await (query.at === undefined
        ? readFlow(principalOf(res), params)
        : readPastFlow(deps, principalOf(res), params, query.at))
      res.set('ETag', etag)
      return isNotModified(req.get('if-none-match'), etag) ? { status: 304, body: undefined } : { status: 200, body: flow }
    },

    update: async ({ params, body, req, res }) => {
      const author = authorOf(res)
      const ifMatch = req.get('if-match')
      const row =
        ifMatch === undefined
          ? await replaceFlow(database, deps, author, params, body)
          : await database.unitOfWork((transaction) => updateFlow(transaction, deps, author, params, ifMatch, body))
      const flow = toFlow(row, channels)
      res.set('ETag', flowEtag(flow))
      return { status: 200, body: flow }
    },

    patch: async ({ params, body, req, res }) => {
      const row = await database.unitOfWork((transaction) =>
        updateFlow(transaction, deps, authorOf(res), params, req.get('if-match'), body),
      )
      const flow = toFlow(row, channels)
      res.set('ETag', flowEtag(flow))
      return { status: 200, body: flow }
    },

    delete: async ({ params, req, res }) => {
      await deleteFlow(database, deps, authorOf(res), params, req.get('if-match'), contextOf(res).log)
      return { status: 204, body: undefined }
    },

    check: async ({ params, res }) => ({ status: 200, body: await checkFlow(deps, principalOf(res), params) }),
  })
}

/** Returns the body checks of the flow routes. They apply the channel rules and the template rules. */
export const flowBodyChecks = ({ database, channels }: { database: Database; channels: Channels }): ReadonlyMap<unknown, BodyCheck> => {
  const checkBody: BodyCheck = async (request, principal): Promise<FieldError[]> => {
    const body: unknown = request.body
    if (body === null || typeof body !== 'object') return []
    const fields = body as { source_type?: unknown; target?: unknown; message_template?: unknown }
    const templateErrors = toBodyErrors(findTemplateIssues(fields))
    const { project_id, flow_id } = request.params
    const isPartial = request.method === 'PATCH' && (fields.source_type === undefined) !== (fields.target === undefined)
    if (!isPartial || typeof project_id !== 'string' || typeof flow_id !== 'string')
      return [...toBodyErrors(findChannelIssues(channels, fields)), ...templateErrors]
    // The channel rules need a source type and a target. The body has one of them, so the other is read from the stored
    // flow. If the flow does not exist, the handler rejects the request later.
    const stored = await getFlow(database, principal, { project_id, flow_id }).catch((error: unknown) => {
      if (error instanceof ApiError && error.code === 'not_found') return undefined
      throw error
    })
    if (!stored) return []
    const { source_type, target } = stored
    return [...toBodyErrors(findChannelIssues(channels, { source_type, target, ...fields })), ...templateErrors]
  }
  return new Map([
    [api.flows.create, checkBody],
    [api.flows.update, checkBody],
    [api.flows.patch, checkBody],
  ] as [unknown, BodyCheck][])
}
