import type { OperationProblems } from './generated/operations.ts'
import type { FieldError, Problem } from './generated/types.ts'

/** The dotted name of an operation, such as `flows.update`. */
export type OperationName = keyof OperationProblems

/**
 * What can go wrong without an answer that is a problem:
 * - `timeout`: the deadline passed.
 * - `connection_failed`: no answer, or one that broke off: refused, reset, DNS, TLS, or an attempt that took too long.
 * - `unexpected_response`: an answer that is not Flowpost's, such as the HTML page of a proxy or malformed JSON.
 * - `invalid_argument`: an argument that no request can be made of. Nothing was sent.
 * - `credential_failed`: the function given as `apiKey` threw, or returned no usable token. Nothing was sent.
 */
export type ClientErrorCode = 'timeout' | 'connection_failed' | 'unexpected_response' | 'invalid_argument' | 'credential_failed'

/** Every code that an error can have; a newer server may know more. */
export type ErrorCode = Problem['code'] | ClientErrorCode

/** The codes that the errors of an operation can have. */
export type OperationErrorCode<Name extends OperationName> = OperationProblems[Name] | ClientErrorCode

/** One request of a call. */
export interface AttemptRecord {
  /** The HTTP status, or `undefined` when there was no answer. */
  readonly status: number | undefined
  /** Milliseconds that the client waited before it. */
  readonly delayMs: number
  /** The `X-Request-Id` of the answer, else the one that was sent. */
  readonly requestId: string | undefined
}

/** All that is known of a failure. */
export interface FailureDetails<Code extends string = ErrorCode> {
  /** The operation that was called, such as `flows.update`. */
  readonly operation: string
  /** The stable code to switch on. */
  readonly code: Code
  /** The HTTP status of the last answer, or `undefined` when there was none. */
  readonly status?: number | undefined
  /** The request id of the last attempt, which is in the log of the server too. */
  readonly requestId?: string | undefined
  /** The faults of the input, at most 1,000, for problems of the input. */
  readonly errors?: readonly FieldError[] | undefined
  /** Every request that the call made, in order. */
  readonly attempts: readonly AttemptRecord[]
  /** How long the server asked to wait, in milliseconds. */
  readonly retryAfterMs?: number | undefined
  /** The beginning of an answer that is not Flowpost's, at most 500 characters, without the API key. */
  readonly snippet?: string | undefined
  /** What was thrown underneath. */
  readonly cause?: unknown
}

/** The failure of a call. {@link isFlowpostError} tells it from other errors. */
export class FlowpostError<Code extends string = ErrorCode> extends Error implements FailureDetails<Code> {
  declare readonly operation: string
  declare readonly code: Code
  declare readonly status: number | undefined
  declare readonly requestId: string | undefined
  declare readonly errors: readonly FieldError[]
  declare readonly attempts: readonly AttemptRecord[]
  declare readonly retryAfterMs: number | undefined
  declare readonly snippet: string | undefined

  constructor(message: string, { cause, ...details }: FailureDetails<Code>) {
    super(`${details.operation}: ${message}`, cause === undefined ? {} : { cause })
    Object.assign(this, { name: 'FlowpostError', errors: [] }, details)
  }

  /** Everything but `cause` and `stack`, with the message, which JSON leaves out of errors. */
  toJSON(): object {
    return { ...this, message: this.message }
  }
}

/**
 * Whether something that was caught is the failure of a call, also when it comes from another copy of this package.
 *
 * @param error What was caught.
 * @param operation Narrows to failures of this operation; `code` is then typed with the codes that it declares.
 * A newer server may answer with a code that is not in that type, so keep a `default` in a `switch`.
 */
export function isFlowpostError<Name extends OperationName>(
  error: unknown,
  operation: Name,
): error is FlowpostError<OperationErrorCode<Name>>
export function isFlowpostError(error: unknown): error is FlowpostError
export function isFlowpostError(error: unknown, operation?: string): boolean {
  return error instanceof Error && error.name === 'FlowpostError' && (!operation || (error as FlowpostError).operation === operation)
}
