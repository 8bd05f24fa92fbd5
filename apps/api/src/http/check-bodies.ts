import type { FieldError } from '@flowpost/contract'
import { findTextErrors, firstErrorPerField, toFieldErrors } from '@flowpost/contract/rules'
import type { AppRoute } from '@ts-rest/core'
import type { Request, RequestHandler } from 'express'
import { z } from 'zod'
import type { Principal } from '../auth/principal.ts'
import { validationFailed } from '../shared/api-error.ts'
import { contextOf } from './request-context.ts'

/** Returns issues of a body that its schema cannot detect. */
export type BodyCheck = (request: Request, principal: Principal) => Promise<readonly FieldError[]>

const schemaIssues = (part: 'query' | 'body', schema: unknown, input: unknown): FieldError[] => {
  if (!(schema instanceof z.ZodType)) return []
  const result = schema.safeParse(input)
  return result.success ? [] : toFieldErrors(part, result.error, input)
}

const noQuery = z.strictObject({})

/** Returns the issues of the query. An operation without parameters rejects all, because ignoring a typo would hide it. */
const queryIssues = (route: AppRoute, request: Request): FieldError[] =>
  route.query || request.url.includes('?') ? schemaIssues('query', route.query ?? noQuery, request.query) : []

const hasHeaderIssue = (route: AppRoute, request: Request): boolean =>
  Object.entries((route.headers ?? {}) as Record<string, z.ZodType>).some(
    ([name, schema]) => !schema.safeParse(request.headers[name]).success,
  )

/**
 * Runs the checks that schemas cannot express, and the body checks of the features, before ts-rest applies the schemas, so
 * that one response lists all issues. Runs after the body is parsed.
 */
export const checkBodies =
  (checks: ReadonlyMap<unknown, BodyCheck>): RequestHandler =>
  async (request, response, next) => {
    const route = (request as Request & { tsRestRoute: AppRoute }).tsRestRoute
    const { principal } = contextOf(response)
    const check = checks.get(route)
    const texts = findTextErrors(request.body)
    const query = route.query ? [] : queryIssues(route, request)
    const checked = check && principal ? await check(request, principal) : []
    // Issues of headers are reported first and alone; see `problem-response.ts`.
    if (texts.length + query.length + checked.length === 0 || hasHeaderIssue(route, request)) return next()
    const body = schemaIssues('body', 'body' in route ? route.body : undefined, request.body)
    throw validationFailed(firstErrorPerField([...queryIssues(route, request), ...texts, ...body, ...checked]))
  }
