import { type AppRouter, initContract } from '@ts-rest/core'
import { z } from 'zod'

/** What the routes of these tests share. */
export const c = initContract()

const Problem = z.object({ code: z.string() }).meta({ id: 'Problem' })

/** The error responses of a route. */
export const errors = { 400: c.otherResponse({ contentType: 'application/problem+json', body: Problem }) }

/** The metadata of a route that is no POST with a key. */
export const metadata = { scope: 'settings:read', problems: ['not_found'], idempotent: false }

/** A route that the generator accepts, changed as a test wants it. */
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

/** The operations that the rules of the generator name, without which it stops. */
export const ruled: AppRouter = {
  projects: { deleteByQuery: route({ method: 'DELETE', path: '/v1/projects' }) } as AppRouter,
  flows: { check: route({ method: 'POST', path: '/v1/flows/check' }) } as AppRouter,
  notifications: {
    send: route({ method: 'POST', path: '/v1/notifications' }),
    preview: route({ method: 'POST', path: '/v1/notifications/preview' }),
    get: route({ path: '/v1/notifications/:id', pathParams: z.object({ id: z.string() }) }),
  } as AppRouter,
}

/** A contract of the given groups, and of what the rules need. */
export const contract = (groups: Record<string, Record<string, unknown>>): AppRouter => ({ ...ruled, ...groups }) as AppRouter
