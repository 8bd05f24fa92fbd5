import type { FieldError } from '@flowpost/contract'
import {
  addFieldErrors,
  bodyTooLarge,
  findTextErrors,
  firstErrorPerField,
  malformedHeader,
  parseJsonBody,
  requireEmptyBody,
  requireJson,
  toFieldErrors,
  toNestedFieldErrors,
  validationFailed,
} from '@flowpost/contract/rules'
import { z } from 'zod'
import { bodyChecks, lateBodyChecks } from '../features/index.ts'
import type { MockContext } from '../state/mock-context.ts'
import type { Principal } from './handler.ts'
import { isSchema, type NamedRoute, type Route } from './operations.ts'

/**
 * Parses a request's JSON body, if the operation accepts a body.
 *
 * @returns The parsed body, or `undefined` if the request or the operation has no body.
 * @throws {ApiError} `unsupported_media_type`, `body_too_large`, `invalid_json`, or `validation_failed` for an
 * unexpected body.
 */
export const readJsonBody = (route: Route, headers: Headers, bytes: Uint8Array, limitBytes: number): unknown => {
  const takesBody = isSchema(route.body)
  // Ignores the body of a GET or DELETE request, because it has no meaning (RFC 9110, section 9.3.1).
  if (!takesBody && route.method !== 'POST') return undefined
  // A chunked request has a body, even an empty one.
  if (bytes.length === 0 && !headers.has('transfer-encoding')) return undefined
  if (!takesBody) {
    requireEmptyBody(bytes)
    return undefined
  }
  requireJson(headers.get('content-type'), headers.get('content-encoding'))
  if (bytes.length > limitBytes) throw bodyTooLarge(limitBytes)
  return parseJsonBody(bytes)
}

/** An authenticated request before validation. */
export interface RequestInput {
  readonly principal: Principal
  readonly params: Readonly<Record<string, string>>
  readonly query: unknown
  readonly headers: Headers
  readonly body: unknown
}

interface ValidatedPart {
  readonly data: unknown
  readonly issues: readonly FieldError[]
}

const noParameters = z.strictObject({})

const validatePart = (part: 'query' | 'body', schema: unknown, input: unknown): ValidatedPart => {
  if (!isSchema(schema)) return { data: input, issues: [] }
  const result = schema.safeParse(input)
  return result.success ? { data: result.data, issues: [] } : { data: undefined, issues: toFieldErrors(part, result.error, input) }
}

const headerIssues = (schemas: Readonly<Record<string, unknown>>, headers: Headers): FieldError[] =>
  Object.entries(schemas).flatMap(([name, schema]) => {
    const value = headers.get(name) ?? undefined
    const result = isSchema(schema) ? schema.safeParse(value) : undefined
    return !result || result.success ? [] : toNestedFieldErrors('header', name, result.error, value)
  })

/**
 * Validates a request against the contract and the additional body checks, in the same order as the server.
 *
 * @returns The parsed query and body.
 * @throws {ApiError} `malformed_header` or `validation_failed`. Also `not_found`, if a body check finds no project or
 * provider.
 */
export const validateRequest = (
  context: MockContext,
  { operation, route }: NamedRoute,
  request: RequestInput,
): { query: unknown; body: unknown } => {
  const textIssues = findTextErrors(request.body, route.metadata.itemsField)
  const bodyIssues = bodyChecks[operation]?.(context, request) ?? []
  const query = validatePart('query', route.query ?? noParameters, request.query)
  const body = validatePart('body', route.body, request.body)
  // If headers are malformed, reports only the header issues.
  const malformedHeaders = headerIssues(route.headers ?? {}, request.headers)
  if (malformedHeaders.length > 0) throw malformedHeader(malformedHeaders)
  const isBeyondSchemas = textIssues.length > 0 || bodyIssues.length > 0 || (!route.query && query.issues.length > 0)
  const issues = [...query.issues, ...textIssues, ...body.issues, ...bodyIssues]
  if (issues.length > 0) {
    const lateIssues = lateBodyChecks[operation]?.(context, request) ?? []
    throw validationFailed(addFieldErrors(isBeyondSchemas ? firstErrorPerField(issues) : issues, lateIssues))
  }
  return { query: query.data, body: body.data }
}
