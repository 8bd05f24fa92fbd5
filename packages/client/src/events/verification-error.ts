/**
 * The reason why a request is not an authentic event:
 * - `missing_header`: a signature header is missing.
 * - `malformed_header`: a signature header occurs twice or has an invalid value.
 * - `timestamp_too_old`, `timestamp_in_future`: the timestamp differs from the clock by more than the tolerance.
 * - `no_matching_signature`: no signature matches the body with any of the secrets.
 * - `malformed_body`: the signature matches, but the body is not an event.
 */
export type EventVerificationErrorCode =
  | 'missing_header'
  | 'malformed_header'
  | 'timestamp_too_old'
  | 'timestamp_in_future'
  | 'no_matching_signature'
  | 'malformed_body'

/** The error for a request that is not an authentic event. Respond with 400. Use {@link isEventVerificationError} to detect it. */
export class EventVerificationError extends Error {
  /** The stable error code. */
  readonly code: EventVerificationErrorCode

  constructor(code: EventVerificationErrorCode, message: string) {
    super(message)
    this.name = 'EventVerificationError'
    this.code = code
  }
}

/** Returns whether a caught value is an `EventVerificationError`, even if another copy of this package threw it. */
export const isEventVerificationError = (error: unknown): error is EventVerificationError =>
  error instanceof Error && error.name === 'EventVerificationError'
