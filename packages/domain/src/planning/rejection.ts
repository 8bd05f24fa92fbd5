/** A violation of a domain rule by the body of a request. */
export interface BodyIssue {
  /** A JSON Pointer (RFC 6901) into the body. */
  readonly pointer: string
  readonly code:
    | 'invalid_target'
    | 'too_long'
    | 'too_big'
    | 'invalid_value'
    | 'override_not_allowed'
    | 'target_unroutable'
    | 'content_too_long'
  /** An explanation of the issue and the expected value. */
  readonly message: string
}

/** The rejection of a request as a whole. */
export interface Rejection<Code extends string = string> {
  readonly ok: false
  /** A problem code of the API. */
  readonly code: Code
  /** The reason, as a sentence. */
  readonly detail: string
  /** Every issue of the body; empty if the cause is not in the body. */
  readonly errors: readonly BodyIssue[]
}
