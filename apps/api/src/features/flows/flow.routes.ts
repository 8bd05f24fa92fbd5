import { api, type FieldError } from '@flowpost/contract'
import { type Channels, channelFaults, isNotModified, templateFaults } from '@flowpost/domain'
import { initServer } from '@ts-rest/express'
import type { Request } from 'express'
import type { Principal } from '../../auth/principal.ts'
import type { Database } from '../../database/database.ts'
import { decodeCursor, pageOf } from '../../http/cursor.ts'
import type { Idempotency } from '../../http/idempotency.ts'
import { principalOf } from '../../http/request-context.ts'
import { ApiError, inBody } from '../../shared/api-error.ts'
import type { Cache } from '../../shared/cache.ts'
import type { PendingChange } from '../projects/pending-change.ts'
import { checkFlow, type FlowCheckDeps } from './check-flow.ts'
import { getFlow, listFlows } from './flow.queries.ts'
import { flowEtag, toFlow } from './flow.serializer.ts'
import { createFlowReader } from './read-flow.ts'
import { createFlow, deleteFlow, type FlowKey, replaceFlow, updateFlow } from './write-flow.ts'

/** What the routes of flows need. */
export interface FlowRoutesDeps extends FlowCheckDeps {
  readonly channels: Channels
  readonly cache: Cache
  readonly idempotency: Idempotency
  /** Cancels the pending deliveries of a flow that is being deleted. */
  readonly cancelPending: (flow: FlowKey) => PendingChange
}

const list = 'flows'

/** The routes of flows. */
export const createFlowRoutes = (deps: FlowRoutesDeps) => {
  const { database, channels, idempotency } = deps
  const readFlow = createFlowReader(deps)
  const url = (flow: { id: string; project_id: string }) => `/v1/settings/projects/${flow.project_id}/flows/${flow.id}`

  return initServer().router(api.flows, {
    create: async ({ params, body, req, res }) => {
      const principal = principalOf(res)
      const answer = await idempotency.run(req, principal, body, async (transaction) => {
        const flow = toFlow(await createFlow(transaction, deps, principal, params.project_id, body), channels)
        return { status: 201, body: flow, headers: { Location: url(flow), ETag: flowEtag(flow) } }
      })
      res.set(answer.headers)
      return { status: 201, body: answer.body }
    },

    list: async ({ params, query, res }) => {
      const { limit, cursor } = query
      const filters = { project_id: params.project_id }
      const after = cursor === undefined ? undefined : decodeCursor(list, filters, cursor)
      const rows = await listFlows(database, principalOf(res), params.project_id, limit + 1, after)
      return { status: 200, body: pageOf({ list, filters, limit, rows, toResponse: (row) => toFlow(row, channels) }) }
    },

    get: async ({ params, req, res }) => {
      const { flow, etag } = await readFlow(principalOf(res), params)
      res.set('ETag', etag)
      return isNotModified(req.get('if-none-match'), etag) ? { status: 304, body: undefined } : { status: 200, body: flow }
    },

    update: async ({ params, body, req, res }) => {
      const principal = principalOf(res)
      const ifMatch = req.get('if-match')
      const row =
        ifMatch === undefined
          ? await replaceFlow(database, deps, principal, params, body)
          : await database.unitOfWork((transaction) => updateFlow(transaction, deps, principal, params, ifMatch, body))
      const flow = toFlow(row, channels)
      res.set('ETag', flowEtag(flow))
      return { status: 200, body: flow }
    },

    patch: async ({ params, body, req, res }) => {
      const row = await database.unitOfWork((transaction) =>
        updateFlow(transaction, deps, principalOf(res), params, req.get('if-match'), body),
      )
      const flow = toFlow(row, channels)
      res.set('ETag', flowEtag(flow))
      return { status: 200, body: flow }
    },

    delete: async ({ params, req, res }) => {
      await deleteFlow(database, deps, principalOf(res), params, req.get('if-match'), deps.cancelPending)
      return { status: 204, body: undefined }
    },

    check: async ({ params, res }) => ({ status: 200, body: await checkFlow(deps, principalOf(res), params) }),
  })
}

/** The faults of a flow's body that its channel or its template has, to be told together with those of the schema. */
export const createFlowBodyCheck =
  (deps: { database: Database; channels: Channels }) =>
  async (request: Request, principal: Principal): Promise<FieldError[]> => {
    const body: unknown = request.body
    if (body === null || typeof body !== 'object') return []
    const fields = body as { source_type?: unknown; target?: unknown; message_template?: unknown }
    const ofTemplate = inBody(templateFaults(fields))
    const { project_id, flow_id } = request.params
    const partial = request.method === 'PATCH' && (fields.source_type === undefined) !== (fields.target === undefined)
    if (!partial || typeof project_id !== 'string' || typeof flow_id !== 'string')
      return [...inBody(channelFaults(deps.channels, fields)), ...ofTemplate]
    // Half of the pair is given, so the other half is the stored one; an unknown flow is the handler's to answer.
    const stored = await getFlow(deps.database, principal, { project_id, flow_id }).catch((error: unknown) => {
      if (error instanceof ApiError && error.code === 'not_found') return undefined
      throw error
    })
    if (!stored) return []
    const { source_type, target } = stored
    return [...inBody(channelFaults(deps.channels, { source_type, target, ...fields })), ...ofTemplate]
  }
