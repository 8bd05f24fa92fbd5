import { type AppRouter, initContract } from '@ts-rest/core'
import { z } from 'zod'

/** The ts-rest contract builder of these tests. */
export const c = initContract()

const Problem = z.object({ code: z.string() }).meta({ id: 'Problem' })

/** The error responses of a route. */
export const errors = { 400: c.otherResponse({ contentType: 'application/problem+json', body: Problem }) }

/** The metadata of a route without idempotency keys. */
export const metadata = { scope: 'settings:read', problems: ['not_found'], idempotent: false }

/** Creates a valid route with the given changes. */
export const route = (changes: object = {}): AppRouter[string] =>
  ({
    method: 'GET',
    path: '/v1/things',
    summary: 'Read things',
    description: 'Reads things.',
    responses: { 200: z.object({ id: z.string() }).meta({ id: 'Fixture' }), ...errors },
    metadata,
    ...changes,
  }) as AppRouter[string]

/** The operations that the generator rules refer to. The generator fails without them. */
export const requiredRoutes: AppRouter = {
  projects: { deleteByQuery: route({ method: 'DELETE', path: '/v1/projects' }) } as AppRouter,
  flows: { check: route({ method: 'POST', path: '/v1/flows/check' }) } as AppRouter,
  notifications: {
    send: route({ method: 'POST', path: '/v1/notifications' }),
    preview: route({ method: 'POST', path: '/v1/notifications/preview' }),
    get: route({ path: '/v1/notifications/:id', pathParams: z.object({ id: z.string() }) }),
  } as AppRouter,
  bulkActions: {
    create: route({
      method: 'POST',
      path: '/v1/bulk-actions',
      body: z.object({ dry_run: z.boolean().optional() }).meta({ id: 'BulkActionBody', description: 'The action.' }),
      responses: {
        200: z.object({ matched: z.int() }).meta({ id: 'Counts' }),
        202: z.object({ id: z.string() }).meta({ id: 'Action' }),
        ...errors,
      },
    }),
  } as AppRouter,
}

/** Creates a contract from the given groups and the required routes. */
export const contract = (groups: Record<string, Record<string, unknown>>): AppRouter => ({ ...requiredRoutes, ...groups }) as AppRouter
