import type { OperationProblems } from './generated/operations.ts'
import type { FieldError, Problem } from './generated/types.ts'

/** The dotted name of an operation, such as `flows.update`. */
export type OperationName = keyof OperationProblems

/**
 * An error code that the client sets itself:
 * - `timeout`: the deadline passed.
 * - `connection_failed`: no complete response arrived. The connection was refused or reset, DNS or TLS failed, or the attempt
 *   timed out.
 * - `unexpected_response`: the response is not from Flowpost, such as the HTML page of a proxy or malformed JSON.
 * - `invalid_argument`: an argument is invalid. The request was not sent.
 * - `credential_failed`: the `apiKey` function threw, took too long or returned an invalid token. The last attempt was not
 *   sent.
 */
export type ClientErrorCode = 'timeout' | 'connection_failed' | 'unexpected_response' | 'invalid_argument' | 'credential_failed'

/** Any known error code. A newer server may send other codes. */
export type ErrorCode = Problem['code'] | ClientErrorCode

/** The known error codes of one operation. */
export type OperationErrorCode<Name extends OperationName> = OperationProblems[Name] | ClientErrorCode

/** One attempt of a call. */
export interface AttemptRecord {
  /** The HTTP status; `undefined` if there was no response. */
  readonly status: number | undefined
  /** Milliseconds that the client waited before the attempt. */
  readonly delayMs: number
  /** The `X-Request-Id` of the response, or of the request if the response has none. */
  readonly requestId: string | undefined
}

/** The details of a failed call. */
export interface FailureDetails<Code extends string = ErrorCode> {
  /** The name of the operation, such as `flows.update`. */
  readonly operation: string
  /** The stable error code. */
  readonly code: Code
  /** The HTTP status of the last attempt; `undefined` if there was no response. */
  readonly status?: number | undefined
  /** The request id of the last attempt, which also appears in the server's log. */
  readonly requestId?: string | undefined
  /** The validation issues of the request, at most 1,000. */
  readonly errors?: readonly FieldError[] | undefined
  /**
   * The attempts of the call, in order. An error of `settled()` or `events.follow()` contains only the attempts of the last
   * poll. If `sendMany()` sent an item more than once, the item's error contains only the attempts of the last send.
   */
  readonly attempts: readonly AttemptRecord[]
  /** The delay that the server requested with `Retry-After`, in milliseconds. */
  readonly retryAfterMs?: number | undefined
  /** Up to 500 characters from the start of a response that is not from Flowpost, with the API key redacted. */
  readonly snippet?: string | undefined
  /** The underlying error. */
  readonly cause?: unknown
}

/** The error of a failed call. Use {@link isFlowpostError} to detect it. */
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

  /** Returns all fields except `cause` and `stack`. Includes the message, which `JSON.stringify` would omit. */
  toJSON(): object {
    return { ...this, message: this.message }
  }
}

/**
 * Returns whether a caught value is a `FlowpostError`, even if another copy of this package threw it.
 *
 * @param error The caught value.
 * @param operation If given, accepts only errors from this operation, and narrows `code` to the codes that the
 * operation declares. A newer server may send other codes, so a `switch` needs a `default`.
 */
export function isFlowpostError<Name extends OperationName>(
  error: unknown,
  operation: Name,
): error is FlowpostError<OperationErrorCode<Name>>
export function isFlowpostError(error: unknown): error is FlowpostError
export function isFlowpostError(error: unknown, operation?: string): boolean {
  return error instanceof Error && error.name === 'FlowpostError' && (!operation || (error as FlowpostError).operation === operation)
}
