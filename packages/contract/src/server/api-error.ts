import { type FieldError, type ProblemCode, problems } from '../problem.ts'

/** What an {@link ApiError} may carry beside its code and detail. */
export interface ApiErrorOptions {
  /** Every fault of the input. */
  readonly errors?: readonly FieldError[]
  /** Headers that the answer needs, as `Retry-After`. */
  readonly headers?: Readonly<Record<string, string>>
  readonly cause?: unknown
}

/** A problem to answer with. Thrown anywhere below a handler, turned into problem+json in one place. */
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

/** The one answer to an id that is unknown, malformed or another user's: they must not be told apart. */
export const notFound = (): ApiError => new ApiError('not_found', 'There is no such resource for this credential.')

// A body of a megabyte can have a hundred thousand, and nobody reads those.
const mostErrors = 1_000

/** The answer to input with faults: all of them are counted, and the first 1,000 told. */
export const validationFailed = (errors: readonly FieldError[]): ApiError =>
  new ApiError('validation_failed', errors.length === 1 ? 'The request has a fault.' : `The request has ${errors.length} faults.`, {
    errors: errors.slice(0, mostErrors),
  })

/** A fault of a body that a rule found, which does not know of parts of requests. */
export type BodyFault = Omit<FieldError, 'in'>

/** Faults that a rule found, as they are told. */
export const inBody = (faults: readonly BodyFault[]): FieldError[] => faults.map((fault) => ({ in: 'body', ...fault }))

/** The answer to a request that a rule refuses as a whole. */
export const refused = ({
  code,
  detail,
  errors,
}: {
  readonly code: ProblemCode
  readonly detail: string
  readonly errors: readonly BodyFault[]
}): ApiError => new ApiError(code, detail, errors.length > 0 ? { errors: inBody(errors) } : {})
