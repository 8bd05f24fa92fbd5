/** A violation of a domain rule in a request body. */
export interface BodyIssue {
  /** A JSON Pointer (RFC 6901) to the invalid field of the body. */
  readonly pointer: string
  readonly code:
    | 'invalid_target'
    | 'too_long'
    | 'too_small'
    | 'too_big'
    | 'invalid_value'
    | 'override_not_allowed'
    | 'target_unroutable'
    | 'content_too_long'
  /** Explains the issue and states the expected value. */
  readonly message: string
}

/** The rejection of a request as a whole. */
export interface Rejection<Code extends string = string> {
  readonly ok: false
  /** One of the API's problem codes. */
  readonly code: Code
  /** The reason for the rejection, as a sentence. */
  readonly detail: string
  /** The issues with fields of the body; empty if the rejection does not concern a particular field. */
  readonly errors: readonly BodyIssue[]
}
