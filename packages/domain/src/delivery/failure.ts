/**
 * The cause of a failure. `ambiguous` means that the outcome is unknown, so the message may have been sent.
 * `expired` means that the notification expired before the message was sent.
 */
export type FailureKind = 'target' | 'credential' | 'content' | 'rate' | 'provider' | 'ambiguous' | 'expired'

/** The reason why a delivery failed or is being retried. */
export interface Failure {
  readonly kind: FailureKind
  /** The provider's error code, or a code that Flowpost defines. */
  readonly code: string
  /** Explains the failure. Never contains secrets. */
  readonly detail: string
  /** Whether a later attempt with the same message may succeed. */
  readonly retryable: boolean
}

/**
 * The failure of a delivery that was canceled because its notification expired. Earlier failures are in the delivery's
 * attempts.
 */
export const expiredFailure: Failure = {
  kind: 'expired',
  code: 'expired',
  detail: 'The notification expired before the message was sent.',
  retryable: false,
}

/** The failure of a delivery whose recipient is on the project's suppression list. Nothing was sent. */
export const suppressedFailure: Failure = {
  kind: 'target',
  code: 'suppressed',
  detail: "The recipient is on the project's suppression list.",
  retryable: false,
}

/**
 * The failure of a delivery that had no final status when its recipient was erased. If an attempt was in progress, use a copy
 * with the kind `ambiguous`, because the message may have been sent.
 */
export const erasedFailure: Failure = {
  kind: 'target',
  code: 'erased',
  detail: 'The recipient was erased before the message was sent, or during the attempt.',
  retryable: false,
}

/** Returns a copy of a failure with a neutral `detail`, because the original may contain an erased recipient's address. */
export const eraseFailureText = (failure: Failure): Failure => ({ ...failure, detail: 'The details were erased along with the recipient.' })
