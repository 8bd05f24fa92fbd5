import { type ContractOtherResponse, initContract } from '@ts-rest/core'
import { z } from 'zod'
import { fieldCodes } from './primitives.ts'

/**
 * Every problem that the interface can answer with: the closed list of codes, each with its status, a title, and
 * `advice` where a program could do the wrong thing. Programs switch on the code; texts may be reworded.
 */
export const problems = {
  invalid_json: { status: 400, title: 'The body is not valid JSON' },
  malformed_header: { status: 400, title: 'A header is malformed' },
  invalid_cursor: { status: 400, title: 'The cursor is not valid' },
  unauthenticated: { status: 401, title: 'Authentication is needed' },
  scope_missing: { status: 403, title: 'The credential lacks a scope' },
  not_found: { status: 404, title: 'There is no such resource' },
  method_not_allowed: { status: 405, title: 'The resource does not support this method' },
  project_name_taken: { status: 409, title: 'Another project has this name' },
  no_active_flows: { status: 409, title: 'The project has no active flow' },
  flow_inactive: { status: 409, title: 'The flow is not active' },
  integration_missing: { status: 409, title: 'A flow has no credentials to deliver with' },
  encryption_not_configured: { status: 409, title: 'The deployment has no key to seal secrets with' },
  not_retryable: { status: 409, title: 'Nothing of the notification can be retried' },
  idempotency_not_replayable: { status: 409, title: 'The first answer held a secret and is not kept' },
  idempotency_in_progress: { status: 409, title: 'A request with this idempotency key is in progress' },
  etag_mismatch: { status: 412, title: 'The resource has changed' },
  body_too_large: { status: 413, title: 'The body is too large' },
  unsupported_media_type: { status: 415, title: 'The body is not JSON' },
  validation_failed: { status: 422, title: 'The request has faults' },
  override_not_allowed: { status: 422, title: 'A flow does not allow its target to be overridden' },
  target_unroutable: { status: 422, title: 'A target reaches no active flow' },
  too_many_deliveries: { status: 422, title: 'The notification would make too many deliveries' },
  content_too_long: { status: 422, title: 'The rendered message is over a limit of its provider' },
  idempotency_key_reused: { status: 422, title: 'The idempotency key was used with another body' },
  rate_limited: { status: 429, title: 'Too many requests' },
  internal: { status: 500, title: 'Something went wrong on the server' },
  unavailable: {
    status: 503,
    title: 'The server cannot answer now',
    advice: 'The request may have been stored. Repeating it with the same Idempotency-Key is safe.',
  },
  queue_full: { status: 503, title: 'Too many messages are waiting' },
} as const satisfies Record<string, { status: number; title: string; advice?: string }>

/** A stable problem code. */
export type ProblemCode = keyof typeof problems

/** Returns the title of a problem as a sentence, with its advice if it has some. */
export const describeProblem = (code: ProblemCode): string => {
  const { title, advice }: { title: string; advice?: string } = problems[code]
  return advice ? `${title}. ${advice}` : `${title}.`
}

const problemCodes = Object.keys(problems) as [ProblemCode, ...ProblemCode[]]

/** One fault of the input: where it is, its code, and what would be right. */
export const FieldError = z
  .object({
    in: z.enum(['body', 'query', 'header']).meta({ description: 'The part of the request at fault.' }),
    pointer: z.string().meta({ description: 'A JSON Pointer (RFC 6901) to the field within that part.', examples: ['/target'] }),
    code: z.enum(fieldCodes).meta({ description: 'The stable code of the fault.' }),
    message: z.string().meta({ description: 'What is wrong and what would be right.' }),
  })
  .meta({ id: 'FieldError', description: 'One fault of the input.' })

/** One fault of the input. */
export type FieldError = z.output<typeof FieldError>

/** The body of every error: a problem as RFC 9457 defines it, with a stable `code`. */
export const Problem = z
  .object({
    type: z.string().meta({ description: 'A URI that names the kind of problem.' }),
    title: z.string().meta({ description: 'A short summary, the same for each problem of the code.' }),
    status: z.int().meta({ description: 'The HTTP status.' }),
    detail: z.string().meta({ description: 'What went wrong this time and what would be right.' }),
    code: z.enum(problemCodes).meta({ description: 'The stable code that programs switch on.' }),
    request_id: z.string().meta({ description: 'The `X-Request-Id` of the answer, which is in the log of the server too.' }),
    errors: z.array(FieldError).optional().meta({ description: 'Every fault of the input, for problems of the input; at most 1,000.' }),
  })
  .meta({ id: 'Problem', description: 'An error as RFC 9457 defines it, with a stable code.' })

/** The body of an error. */
export type Problem = z.output<typeof Problem>

const c = initContract()

/** The media type of every error: RFC 9457. */
export const problemMediaType = 'application/problem+json'

// A named type, which declarations refer to instead of repeating the whole schema for each response.
/** The response of an error. */
export interface ProblemResponse extends ContractOtherResponse<typeof Problem> {}

const problemResponse: ProblemResponse = c.otherResponse({ contentType: problemMediaType, body: Problem })

type StatusOf<C extends ProblemCode> = (typeof problems)[C]['status']

/** The responses that an operation declares for its problem codes: one for each status. */
export const problemResponses = <const C extends readonly ProblemCode[]>(codes: C) =>
  Object.fromEntries(codes.map((code) => [problems[code].status, problemResponse])) as {
    [S in StatusOf<C[number]>]: ProblemResponse
  }
