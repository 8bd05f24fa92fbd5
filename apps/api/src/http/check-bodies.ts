import type { FieldError, OperationMetadata } from '@flowpost/contract'
import { addFieldErrors, findTextErrors, firstErrorPerField, malformedHeader, toFieldErrors } from '@flowpost/contract/rules'
import type { AppRoute } from '@ts-rest/core'
import type { RequestValidationError } from '@ts-rest/express'
import type { NextFunction, Request, RequestHandler, Response } from 'express'
import { z } from 'zod'
import type { Principal } from '../auth/principal.ts'
import { type ApiError, validationFailed } from '../shared/api-error.ts'
import { contextOf } from './request-context.ts'

/** A check for issues that the schema of a request body cannot detect. */
export type BodyCheck = (request: Request, principal: Principal) => Promise<readonly FieldError[]>

/** The checks of request bodies, keyed by route. */
export interface BodyChecks {
  readonly early: ReadonlyMap<unknown, BodyCheck>
  /**
   * The checks that a route's handler normally runs itself, after it has looked up the idempotency key, if any. If a request
   * fails the schema or another check, its handler is not called. These checks then run here, so that the response lists all
   * issues.
   */
  readonly late: ReadonlyMap<unknown, BodyCheck>
}

const routeOf = (request: Request): AppRoute => (request as Request & { tsRestRoute: AppRoute }).tsRestRoute

const runCheck = async (checks: ReadonlyMap<unknown, BodyCheck>, request: Request, response: Response): Promise<readonly FieldError[]> => {
  const { principal } = contextOf(response)
  const check = checks.get(routeOf(request))
  return check && principal ? check(request, principal) : []
}

const schemaIssues = (part: 'query' | 'body', schema: unknown, input: unknown): FieldError[] => {
  if (!(schema instanceof z.ZodType)) return []
  const result = schema.safeParse(input)
  return result.success ? [] : toFieldErrors(part, result.error, input)
}

const noQuery = z.strictObject({})

/**
 * Returns the issues in the query string. If an operation has no query parameters, every given parameter is an issue,
 * because ignoring it would hide the client's mistake.
 */
const queryIssues = (route: AppRoute, request: Request): FieldError[] =>
  route.query || request.url.includes('?') ? schemaIssues('query', route.query ?? noQuery, request.query) : []

const hasHeaderIssue = (route: AppRoute, request: Request): boolean =>
  Object.entries((route.headers ?? {}) as Record<string, z.ZodType>).some(
    ([name, schema]) => !schema.safeParse(request.headers[name]).success,
  )

/**
 * Creates the handler that checks a parsed request before ts-rest does. It rejects text that the database cannot store, query
 * parameters of an operation that accepts none, and bodies that fail the operation's `early` check. For a rejected request, it
 * also runs the schemas and the operation's `late` check, so that one response lists all issues.
 */
export const checkBodies =
  ({ early, late }: BodyChecks): RequestHandler =>
  async (request, response, next) => {
    const route = routeOf(request)
    const texts = findTextErrors(request.body, (route.metadata as OperationMetadata).itemsField)
    const query = route.query ? [] : queryIssues(route, request)
    const checked = await runCheck(early, request, response)
    // If there is a header issue, the response lists only header issues; see `rejectInvalid`.
    if (texts.length + query.length + checked.length === 0 || hasHeaderIssue(route, request)) return next()
    const body = schemaIssues('body', 'body' in route ? route.body : undefined, request.body)
    const errors = firstErrorPerField([...queryIssues(route, request), ...texts, ...body, ...checked])
    throw validationFailed(addFieldErrors(errors, await runCheck(late, request, response)))
  }

/**
 * Creates the handler that ts-rest calls for a request that violates a schema. The handler calls `next` with an error
 * that lists the issues.
 */
export const rejectInvalid =
  ({ late }: BodyChecks) =>
  (error: RequestValidationError, request: Request, response: Response, next: NextFunction): void => {
    const toError = async (): Promise<ApiError> => {
      const headers = toFieldErrors('header', error.headers, request.headers)
      if (headers.length > 0) return malformedHeader(headers)
      const errors = [...toFieldErrors('query', error.query, request.query), ...toFieldErrors('body', error.body, request.body)]
      return validationFailed(addFieldErrors(errors, await runCheck(late, request, response)))
    }
    toError().then(next, next)
  }
