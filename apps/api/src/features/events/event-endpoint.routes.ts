import { api } from '@flowpost/contract'
import { isNotModified } from '@flowpost/contract/rules'
import { initServer } from '@ts-rest/express'
import type { Database } from '../../database/database.ts'
import type { Idempotency } from '../../http/idempotency.ts'
import { keyOf } from '../../http/idempotency-key.ts'
import { decodeCursor, pageOf } from '../../http/pagination.ts'
import { authorOf, principalOf } from '../../http/request-context.ts'
import { getProject } from '../projects/project.queries.ts'
import { awaitEarlierTransactions } from './await-earlier-transactions.ts'
import { createEndpoint, type EndpointDeps } from './create-endpoint.ts'
import { getEndpoint, listEndpoints, listEventAttempts } from './endpoint.queries.ts'
import { endpointEtag, endpointPath, toEndpoint, toEventAttempt } from './endpoint.serializer.ts'
import type { SendEvent } from './push/send-event.ts'
import { testEndpoint } from './test-endpoint.ts'
import { deleteEndpoint, replayEvents, rotateSecret, updateEndpoint } from './update-endpoint.ts'

/** The dependencies of {@link createEventEndpointRoutes}. */
export interface EventEndpointRoutesDeps extends EndpointDeps {
  readonly database: Database
  readonly idempotency: Idempotency
  readonly sendEvent: SendEvent
}

const list = 'event-endpoints'
const attemptList = 'event-attempts'

/** Creates the event endpoint routes. */
export const createEventEndpointRoutes = (deps: EventEndpointRoutesDeps) => {
  const { database, clock, idempotency } = deps

  return initServer().router(api.eventEndpoints, {
    create: async ({ params, body, req, res }) => {
      const author = authorOf(res)
      const response = await idempotency.run(
        req,
        author,
        body,
        async (transaction) => {
          const { row, secret } = await createEndpoint(transaction, deps, author, params.project_id, body)
          const endpoint = toEndpoint(row)
          const headers = { Location: endpointPath(endpoint), ETag: endpointEtag(endpoint) }
          return { status: 201, body: { ...endpoint, secret }, headers }
        },
        { replayable: false },
      )
      await awaitEarlierTransactions(database)
      res.set(response.headers)
      return { status: 201, body: response.body }
    },

    list: async ({ params, query, res }) => {
      const { limit, cursor } = query
      const filters = { project_id: params.project_id }
      const after = cursor === undefined ? undefined : decodeCursor(list, filters, cursor)
      const project = await getProject(database, principalOf(res), params.project_id)
      const rows = await listEndpoints(database, project.id, limit + 1, after)
      return { status: 200, body: pageOf({ list, filters, limit, rows, toResponse: toEndpoint }) }
    },

    get: async ({ params, req, res }) => {
      const endpoint = toEndpoint(await getEndpoint(database, principalOf(res), params))
      const etag = endpointEtag(endpoint)
      res.set('ETag', etag)
      return isNotModified(req.get('if-none-match'), etag) ? { status: 304, body: undefined } : { status: 200, body: endpoint }
    },

    update: async ({ params, body, req, res }) => {
      const row = await database.transaction((transaction) =>
        updateEndpoint(transaction, deps, authorOf(res), params, req.get('if-match'), body),
      )
      await awaitEarlierTransactions(database)
      const endpoint = toEndpoint(row)
      res.set('ETag', endpointEtag(endpoint))
      return { status: 200, body: endpoint }
    },

    delete: async ({ params, req, res }) => {
      await database.transaction((transaction) => deleteEndpoint(transaction, deps, authorOf(res), params, req.get('if-match')))
      return { status: 204, body: undefined }
    },

    rotateSecret: async ({ params, req, res }) => {
      const author = authorOf(res)
      const response = await idempotency.run(
        req,
        author,
        null,
        async (transaction) => {
          const { row, secret } = await rotateSecret(transaction, deps, author, params)
          const endpoint = toEndpoint(row)
          return { status: 200, body: { ...endpoint, secret }, headers: { Location: endpointPath(endpoint) } }
        },
        { replayable: false },
      )
      return { status: 200, body: response.body }
    },

    test: async ({ params, req, res }) => {
      const principal = principalOf(res)
      const key = keyOf(req, principal, null)
      const stored = key && (await idempotency.find<200, ReturnType<typeof toEventAttempt>>(key))
      const sent = stored ?? { status: 200, body: toEventAttempt(await testEndpoint(deps, principal, params, clock.now())) }
      // The idempotency key is stored only after the ping, because no transaction may be open during the ping. A
      // concurrent request with the same key therefore sends a second ping, which is harmless. It returns the stored response.
      const response = key && !stored ? await idempotency.run(req, principal, null, async () => sent) : sent
      if (response.headers) res.set(response.headers)
      return { status: 200, body: response.body }
    },

    attempts: async ({ params, query, res }) => {
      const { limit, cursor } = query
      const filters = { endpoint_id: params.endpoint_id }
      const before = cursor === undefined ? undefined : decodeCursor(attemptList, filters, cursor)
      const { id } = await getEndpoint(database, principalOf(res), params)
      const rows = await listEventAttempts(database, id, limit + 1, before)
      return { status: 200, body: pageOf({ list: attemptList, filters, limit, rows, toResponse: toEventAttempt }) }
    },

    replay: async ({ params, body, req, res }) => {
      const principal = principalOf(res)
      const response = await idempotency.run(req, principal, body, async (transaction) => ({
        status: 200,
        body: toEndpoint(await replayEvents(transaction, principal, params, body.after)),
      }))
      if (response.headers) res.set(response.headers)
      return { status: 200, body: response.body }
    },
  })
}
