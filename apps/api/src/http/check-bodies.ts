import type { FieldError, OperationMetadata } from '@flowpost/contract'
import { findTextErrors, firstErrorPerField, toFieldErrors } from '@flowpost/contract/rules'
import type { AppRoute } from '@ts-rest/core'
import type { Request, RequestHandler } from 'express'
import { z } from 'zod'
import type { Principal } from '../auth/principal.ts'
import { validationFailed } from '../shared/api-error.ts'
import { contextOf } from './request-context.ts'

/** A check that finds issues in a request body that the body's schema cannot detect. */
export type BodyCheck = (request: Request, principal: Principal) => Promise<readonly FieldError[]>

const schemaIssues = (part: 'query' | 'body', schema: unknown, input: unknown): FieldError[] => {
  if (!(schema instanceof z.ZodType)) return []
  const result = schema.safeParse(input)
  return result.success ? [] : toFieldErrors(part, result.error, input)
}

const noQuery = z.strictObject({})

/**
 * Returns the issues found in the query string. An operation without query parameters rejects every parameter, because
 * ignoring a mistyped one would hide the mistake.
 */
const queryIssues = (route: AppRoute, request: Request): FieldError[] =>
  route.query || request.url.includes('?') ? schemaIssues('query', route.query ?? noQuery, request.query) : []

const hasHeaderIssue = (route: AppRoute, request: Request): boolean =>
  Object.entries((route.headers ?? {}) as Record<string, z.ZodType>).some(
    ([name, schema]) => !schema.safeParse(request.headers[name]).success,
  )

/**
 * Creates the handler that checks a request after its body is parsed and before ts-rest applies the schemas. It finds text
 * that the database cannot store, query parameters for an operation that accepts none, and the issues that the features'
 * body checks detect. If it finds any, it also reports the issues that the schemas find, so that one response lists all
 * issues.
 */
export const checkBodies =
  (checks: ReadonlyMap<unknown, BodyCheck>): RequestHandler =>
  async (request, response, next) => {
    const route = (request as Request & { tsRestRoute: AppRoute }).tsRestRoute
    const { principal } = contextOf(response)
    const check = checks.get(route)
    const texts = findTextErrors(request.body, (route.metadata as OperationMetadata).itemsField)
    const query = route.query ? [] : queryIssues(route, request)
    const checked = check && principal ? await check(request, principal) : []
    // If there is a header issue, the response lists only header issues; see `problem-response.ts`.
    if (texts.length + query.length + checked.length === 0 || hasHeaderIssue(route, request)) return next()
    const body = schemaIssues('body', 'body' in route ? route.body : undefined, request.body)
    throw validationFailed(firstErrorPerField([...queryIssues(route, request), ...texts, ...body, ...checked]))
  }
