import { type ContractOtherResponse, initContract } from '@ts-rest/core'
import { z } from 'zod'
import { fieldCodes } from './primitives.ts'

/**
 * Every problem that the API can return, keyed by its stable code. Each has an HTTP status and a title, and some have
 * `advice` on how to react. The API returns no other codes. Titles and advice may be reworded, so programs must rely on
 * the code.
 */
export const problems = {
  invalid_json: { status: 400, title: 'The request body is not valid JSON' },
  malformed_header: { status: 400, title: 'A request header is malformed' },
  invalid_cursor: { status: 400, title: 'Invalid cursor' },
  unauthenticated: { status: 401, title: 'Authentication required' },
  scope_missing: { status: 403, title: 'The credential lacks a permission' },
  not_found: { status: 404, title: 'Not found' },
  method_not_allowed: { status: 405, title: 'Method not allowed' },
  project_name_taken: { status: 409, title: 'The project name is already taken' },
  key_taken: { status: 409, title: 'The key is already taken' },
  no_active_flows: { status: 409, title: 'The project has no active flows' },
  flow_inactive: { status: 409, title: 'The flow is not active' },
  integration_missing: { status: 409, title: 'A flow has no credentials for its provider' },
  encryption_not_configured: { status: 409, title: 'The deployment has no key to encrypt secrets with' },
  settings_too_large: { status: 409, title: 'The settings of the project are too large for one document' },
  not_retryable: { status: 409, title: 'The notification has no deliveries to retry' },
  too_many_event_endpoints: { status: 409, title: 'The project has too many event endpoints' },
  event_endpoint_without_url: { status: 409, title: 'The event endpoint has no URL' },
  delivery_not_attempted: { status: 409, title: 'No attempt was made to send the message' },
  inbound_not_supported: { status: 409, title: 'The provider reports nothing to Flowpost' },
  idempotency_not_replayable: { status: 409, title: 'The original response contained a secret and was not stored' },
  idempotency_in_progress: { status: 409, title: 'A request with this idempotency key is in progress' },
  report_rejected: { status: 406, title: 'The report was rejected and must not be repeated' },
  etag_mismatch: { status: 412, title: 'The resource has changed' },
  body_too_large: { status: 413, title: 'The request body is too large' },
  unsupported_media_type: { status: 415, title: 'Unsupported media type' },
  validation_failed: { status: 422, title: 'Validation failed' },
  override_not_allowed: { status: 422, title: 'A flow does not allow target overrides' },
  target_unroutable: { status: 422, title: 'A target matches no active flow' },
  too_many_deliveries: { status: 422, title: 'The notification would create too many deliveries' },
  content_too_long: { status: 422, title: 'The rendered message is too long' },
  idempotency_key_reused: { status: 422, title: 'The idempotency key was used with a different request' },
  rate_limited: { status: 429, title: 'Too many requests' },
  internal: { status: 500, title: 'Internal server error' },
  unavailable: {
    status: 503,
    title: 'Service unavailable',
    advice: 'The request may have been applied. Retrying it with the same Idempotency-Key is safe.',
  },
  queue_full: { status: 503, title: 'Too many pending deliveries' },
} as const satisfies Record<string, { status: number; title: string; advice?: string }>

/** A stable problem code. */
export type ProblemCode = keyof typeof problems

/** Returns the title of a problem as a sentence, followed by its advice, if any. */
export const describeProblem = (code: ProblemCode): string => {
  const { title, advice }: { title: string; advice?: string } = problems[code]
  return advice ? `${title}. ${advice}` : `${title}.`
}

const problemCodes = Object.keys(problems) as [ProblemCode, ...ProblemCode[]]

/** A validation error in one field. */
export const FieldError = z
  .object({
    in: z.enum(['body', 'query', 'header']).meta({ description: 'The part of the request that contains the field.' }),
    pointer: z.string().meta({
      description:
        'A JSON Pointer (RFC 6901) to the field in the part named by `in`. If the pointer would have more than 256 characters, it points to the closest enclosing field instead.',
      examples: ['/target'],
    }),
    code: z.enum(fieldCodes).meta({ description: 'A stable, machine-readable code for the kind of error.' }),
    message: z.string().meta({ description: 'Describes the error and the expected value.' }),
  })
  .meta({ id: 'FieldError', description: 'A validation error in one field.' })

/** A validation error in one field. */
export type FieldError = z.output<typeof FieldError>

/** The body of every error response: a problem as defined by RFC 9457, with a stable `code`. */
export const Problem = z
  .object({
    type: z.string().meta({ description: 'A URI that identifies the type of problem.' }),
    title: z.string().meta({ description: 'A short summary of the type of problem.' }),
    status: z.int().meta({ description: 'The HTTP status code.' }),
    detail: z.string().meta({ description: 'Describes what went wrong in this request and how to fix it.' }),
    code: z.enum(problemCodes).meta({ description: 'A stable, machine-readable code for the type of problem.' }),
    request_id: z
      .string()
      .meta({ description: 'The same value as the response header `X-Request-Id`. It identifies the request in the server log.' }),
    errors: z.array(FieldError).optional().meta({ description: 'The validation errors of the request; at most 1,000 are listed.' }),
  })
  .meta({ id: 'Problem', description: 'An error response as defined by RFC 9457, with a stable code.' })

/** The body of an error response. */
export type Problem = z.output<typeof Problem>

const c = initContract()

/** The media type of every error response (RFC 9457). */
export const problemMediaType = 'application/problem+json'

/** The type of an error response. It has a name to keep the generated type declarations short. */
export interface ProblemResponse extends ContractOtherResponse<typeof Problem> {}

const problemResponse: ProblemResponse = c.otherResponse({ contentType: problemMediaType, body: Problem })

type StatusOf<C extends ProblemCode> = (typeof problems)[C]['status']

/** Returns the error responses of an operation with these problem codes: one for each distinct HTTP status. */
export const problemResponses = <const C extends readonly ProblemCode[]>(codes: C) =>
  Object.fromEntries(codes.map((code) => [problems[code].status, problemResponse])) as {
    [S in StatusOf<C[number]>]: ProblemResponse
  }
