/** Where the cause of a failed delivery lies. */
export type FailureKind = 'target' | 'credential' | 'content' | 'rate' | 'provider' | 'ambiguous'

/** Why a delivery failed, or why it is being retried. */
export interface Failure {
  readonly kind: FailureKind
  /** The provider's own code, or one of Flowpost's. */
  readonly code: string
  /** What happened, in words, without secrets. */
  readonly detail: string
  /** Whether the same message may succeed later. */
  readonly retryable: boolean
}
