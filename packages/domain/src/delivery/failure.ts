/** The cause of a failure. `ambiguous` means that the provider's response was lost, so the message may have been sent. */
export type FailureKind = 'target' | 'credential' | 'content' | 'rate' | 'provider' | 'ambiguous'

/** Why a delivery failed, or why it is being retried. */
export interface Failure {
  readonly kind: FailureKind
  /** The provider's error code, or a code that Flowpost defines. */
  readonly code: string
  /** Explains the failure. Never contains secrets. */
  readonly detail: string
  /** Whether a later attempt with the same message may succeed. */
  readonly retryable: boolean
}
