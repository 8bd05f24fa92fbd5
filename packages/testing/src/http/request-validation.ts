import type { FieldError } from '@flowpost/contract'
import { ApiError, fieldErrors, fieldErrorsWithin, firstOfEach, textFaults, validationFailed } from '@flowpost/contract/server'
import { isEmptyBody, isJsonMediaType, parseJsonBody } from '@flowpost/domain'
import { z } from 'zod'
import { bodyChecks } from '../features/index.ts'
import type { MockContext } from '../state/mock-context.ts'
import type { Principal } from './handler.ts'
import { isSchema, type NamedRoute, type Route } from './operations.ts'

/** Rejects a body that the operation would ignore. */
const requireEmptyBody = (bytes: Uint8Array): void => {
  if (isEmptyBody(bytes)) return
  throw new ApiError('validation_failed', 'The request has a fault.', {
    errors: [{ in: 'body', pointer: '', code: 'unknown_field', message: 'This operation takes no body.' }],
  })
}

/**
 * Parses the JSON body of a request, if its operation accepts one.
 *
 * @returns The parsed body, or `undefined` without a body.
 * @throws {ApiError} `unsupported_media_type`, `body_too_large`, `invalid_json`, or `validation_failed` for an unexpected
 * body.
 */
export const readJsonBody = (route: Route, headers: Headers, bytes: Uint8Array, limitBytes: number): unknown => {
  const takesBody = isSchema(route.body)
  // A body has no meaning in GET and DELETE requests (RFC 9110, section 9.3.1).
  if (bytes.length === 0 || (!takesBody && route.method !== 'POST')) return undefined
  if (!takesBody) {
    requireEmptyBody(bytes)
    return undefined
  }
  if (!isJsonMediaType(headers.get('content-type') ?? ''))
    throw new ApiError('unsupported_media_type', 'Send the body as JSON in UTF-8, with `Content-Type: application/json`.')
  if ((headers.get('content-encoding') ?? 'identity').toLowerCase() !== 'identity')
    throw new ApiError('unsupported_media_type', 'Send the body without `Content-Encoding`.')
  if (bytes.length > limitBytes) throw new ApiError('body_too_large', `The body must have at most ${limitBytes} bytes.`)
  const parsed = parseJsonBody(bytes)
  if (!parsed.ok) throw new ApiError('invalid_json', parsed.detail)
  return parsed.value
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
  return result.success ? { data: result.data, issues: [] } : { data: undefined, issues: fieldErrors(part, result.error, input) }
}

const headerIssues = (schemas: Readonly<Record<string, unknown>>, headers: Headers): FieldError[] =>
  Object.entries(schemas).flatMap(([name, schema]) => {
    const value = headers.get(name) ?? undefined
    const result = isSchema(schema) ? schema.safeParse(value) : undefined
    return !result || result.success ? [] : fieldErrorsWithin('header', name, result.error, value)
  })

/**
 * Validates a request against the contract and the additional body checks, in the same order as the server.
 *
 * @returns The parsed query and body.
 * @throws {ApiError} `malformed_header` or `validation_failed`, with all issues.
 */
export const validateRequest = (
  context: MockContext,
  { operation, route }: NamedRoute,
  request: RequestInput,
): { query: unknown; body: unknown } => {
  const textIssues = textFaults(request.body)
  const bodyIssues = bodyChecks[operation]?.(context, request) ?? []
  const query = validatePart('query', route.query ?? noParameters, request.query)
  const body = validatePart('body', route.body, request.body)
  // A malformed header is reported before all other issues, and alone.
  const malformedHeaders = headerIssues(route.headers ?? {}, request.headers)
  if (malformedHeaders.length > 0)
    throw new ApiError('malformed_header', malformedHeaders.map(({ pointer, message }) => `${pointer.slice(1)}: ${message}`).join(' '), {
      errors: malformedHeaders,
    })
  const isBeyondSchemas = textIssues.length > 0 || bodyIssues.length > 0 || (!route.query && query.issues.length > 0)
  if (isBeyondSchemas) throw validationFailed(firstOfEach([...query.issues, ...textIssues, ...body.issues, ...bodyIssues]))
  if (query.issues.length > 0 || body.issues.length > 0) throw validationFailed([...query.issues, ...body.issues])
  return { query: query.data, body: body.data }
}
