import { maxListedErrors } from '../primitives.ts'
import { type FieldError, type Problem, type ProblemCode, problems } from '../problem.ts'

/** The optional fields of an {@link ApiError}. */
export interface ApiErrorOptions {
  /** The validation errors of the request. */
  readonly errors?: readonly FieldError[]
  /** Headers of the response, such as `Retry-After`. */
  readonly headers?: Readonly<Record<string, string>>
  readonly cause?: unknown
}

/** An error that the API returns as `application/problem+json`. Handlers throw it, and the error handler converts it to a response. */
export class ApiError extends Error {
  readonly code: ProblemCode
  readonly status: number
  readonly errors: readonly FieldError[] | undefined
  readonly headers: Readonly<Record<string, string>>

  constructor(code: ProblemCode, detail: string, options: ApiErrorOptions = {}) {
    super(detail, { cause: options.cause })
    this.name = 'ApiError'
    this.code = code
    this.status = problems[code].status
    this.errors = options.errors
    this.headers = options.headers ?? {}
  }
}

/** Converts an error to the body of its response. */
export const toProblem = ({ code, status, message, errors }: ApiError, requestId: string): Problem => ({
  type: `urn:flowpost:problem:${code}`,
  title: problems[code].title,
  status,
  detail: message,
  code,
  request_id: requestId,
  ...(errors ? { errors: [...errors] } : {}),
})

/**
 * Returns the error for an id that is unknown, is malformed or belongs to another user. API clients must not be able to tell
 * these cases apart.
 */
export const notFound = (): ApiError => new ApiError('not_found', 'Not found, or not accessible with this credential.')

/**
 * Returns the error for a project name that is taken by another of the user's projects.
 * @param options.prefix A JSON Pointer to the project in the body.
 */
export const projectNameTaken = ({ prefix = '', cause }: { readonly prefix?: string; readonly cause?: unknown } = {}): ApiError => {
  const message = 'Another project of this user has this name.'
  return new ApiError('project_name_taken', `${message} Choose a different name.`, {
    cause,
    errors: [{ in: 'body', pointer: `${prefix}/name`, code: 'invalid_value', message }],
  })
}

/**
 * Returns the error for a `key` that another resource of the same kind already has. Project keys are unique per user. Keys
 * of flows and of event endpoints are unique per project.
 * @param options.prefix A JSON Pointer to the resource in the body.
 */
export const keyTaken = (
  kind: 'project' | 'flow' | 'event endpoint',
  { prefix = '', cause }: { readonly prefix?: string; readonly cause?: unknown } = {},
): ApiError => {
  const message = `Another ${kind} of this ${kind === 'project' ? 'user' : 'project'} has this key.`
  return new ApiError('key_taken', `${message} Choose a different key.`, {
    cause,
    errors: [{ in: 'body', pointer: `${prefix}/key`, code: 'invalid_value', message }],
  })
}

const countErrors = (count: number): string => {
  if (count > maxListedErrors) return 'more than 1,000 validation errors'
  return count === 1 ? '1 validation error' : `${count} validation errors`
}

/**
 * Returns the error for an invalid request. The error lists at most 1,000 validation errors, because a request body of 1 MiB
 * can cause 100,000. For more than 1,000, `detail` does not state the exact number, because some checks stop early.
 */
export const validationFailed = (errors: readonly FieldError[]): ApiError =>
  new ApiError('validation_failed', `The request has ${countErrors(errors.length)}.`, { errors: errors.slice(0, maxListedErrors) })

/** Returns the error for a request with malformed headers. */
export const malformedHeader = (errors: readonly FieldError[]): ApiError =>
  new ApiError('malformed_header', errors.map(({ pointer, message }) => `${pointer.slice(1)}: ${message}`).join(' '), { errors })

/** The options of {@link unavailable}. */
export interface UnavailableOptions {
  /** The number of seconds after which the client should retry. */
  readonly retryAfterSeconds: number
  readonly cause?: unknown
}

/** Returns the error for a request that cannot be processed at the moment. */
export const unavailable = (detail: string, { retryAfterSeconds, cause }: UnavailableOptions): ApiError =>
  new ApiError('unavailable', detail, { headers: { 'Retry-After': String(retryAfterSeconds) }, cause })

/** A violation of a domain rule by a request body. */
export type BodyIssue = Omit<FieldError, 'in'>

/** Converts issues found by the domain rules to validation errors of the request body. */
export const toBodyErrors = (issues: readonly BodyIssue[]): FieldError[] => issues.map((issue) => ({ in: 'body', ...issue }))

/** Returns the error for a request that a domain rule rejects. */
export const rejected = ({
  code,
  detail,
  errors,
}: {
  readonly code: ProblemCode
  readonly detail: string
  readonly errors: readonly BodyIssue[]
}): ApiError => new ApiError(code, detail, errors.length > 0 ? { errors: toBodyErrors(errors) } : {})
