import type { FieldError } from '@flowpost/contract'
import { findTextErrors, firstErrorPerField, toFieldErrors } from '@flowpost/contract/rules'
import type { AppRoute } from '@ts-rest/core'
import type { Request, RequestHandler } from 'express'
import { z } from 'zod'
import type { Principal } from '../auth/principal.ts'
import { validationFailed } from '../shared/api-error.ts'
import { contextOf } from './request-context.ts'

/** Faults of a body that its schema cannot know. */
export type BodyCheck = (request: Request, principal: Principal) => Promise<readonly FieldError[]>

const schemaFaults = (part: 'query' | 'body', schema: unknown, input: unknown): FieldError[] => {
  if (!(schema instanceof z.ZodType)) return []
  const result = schema.safeParse(input)
  return result.success ? [] : toFieldErrors(part, result.error, input)
}

const noQuery = z.strictObject({})

/** Parameters of an operation that declares none: dropped silently, a typo would go unseen. */
const undeclaredQuery = (route: AppRoute, request: Request): FieldError[] =>
  route.query || request.url.includes('?') ? schemaFaults('query', route.query ?? noQuery, request.query) : []

const hasHeaderFault = (route: AppRoute, request: Request): boolean =>
  Object.entries((route.headers ?? {}) as Record<string, z.ZodType>).some(
    ([name, schema]) => !schema.safeParse(request.headers[name]).success,
  )

/**
 * Runs the checks that schemas cannot do, and those that a feature has for the bodies of its routes, before
 * the schemas are applied, so that one answer tells the faults of all. Runs after the body has been read.
 */
export const checkBodies =
  (checks: ReadonlyMap<unknown, BodyCheck>): RequestHandler =>
  async (request, response, next) => {
    const route = (request as Request & { tsRestRoute: AppRoute }).tsRestRoute
    const { principal } = contextOf(response)
    const check = checks.get(route)
    const texts = findTextErrors(request.body)
    const query = route.query ? [] : undeclaredQuery(route, request)
    const own = check && principal ? await check(request, principal) : []
    // A malformed header is told first, and alone: see `problem-response.ts`.
    if (texts.length + query.length + own.length === 0 || hasHeaderFault(route, request)) return next()
    const body = schemaFaults('body', 'body' in route ? route.body : undefined, request.body)
    throw validationFailed(firstErrorPerField([...undeclaredQuery(route, request), ...texts, ...body, ...own]))
  }
