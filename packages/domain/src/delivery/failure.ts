/** The cause of a failed delivery. */
export type FailureKind = 'target' | 'credential' | 'content' | 'rate' | 'provider' | 'ambiguous'

/** Why a delivery failed, or why it is being retried. */
export interface Failure {
  readonly kind: FailureKind
  /** The error code of the provider, or one defined by Flowpost. */
  readonly code: string
  /** An explanation without secrets. */
  readonly detail: string
  /** Whether a later attempt with the same message may succeed. */
  readonly retryable: boolean
}
