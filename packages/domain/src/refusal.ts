/** A fault of a request's body that only a rule can find. */
export interface BodyFault {
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
  /** What is wrong and what would be right. */
  readonly message: string
}

/** Why a request is refused as a whole. The code is a problem code of the HTTP interface. */
export interface Refusal<Code extends string = string> {
  readonly ok: false
  readonly code: Code
  /** What is wrong, in a sentence. */
  readonly detail: string
  /** Every fault of the body; empty when the cause is not in the request. */
  readonly errors: readonly BodyFault[]
}
