import type { Failure, FailureKind } from '@flowpost/domain'

/** The argument of the {@link DeliveryError} constructor. */
export interface DeliveryErrorInput {
  readonly kind: FailureKind
  /**
   * The provider's error code, or a snake_case code that you define. At most 64 characters: letters, digits, `.`, `_`, `:`
   * and `-`.
   */
  readonly code: string
  /**
   * Explains the error. Do not quote the provider's response here, because everyone with access to the delivery can read this
   * text; use `providerResponse`.
   */
  readonly detail: string
  /**
   * The provider's response, verbatim. The provider client redacts this text and `detail`, and truncates each to 1,000
   * characters. The response may reveal names and addresses in a private network, so it is shown only in the server's log
   * and to the owner of the credential.
   *
   * Set this property only if the provider responded, because Flowpost concludes from it that the provider works. There is one
   * exception: a retryable error of the kind `provider` or `ambiguous` may have the message of a network error here.
   */
  readonly providerResponse?: string
  /**
   * Whether sending the same message later may succeed.
   * @default true for the kinds `rate`, `provider` and `ambiguous`, otherwise false
   */
  readonly retryable?: boolean
  /** The delay that the provider requested before the next attempt, in milliseconds. */
  readonly retryAfterMs?: number
}

/** Whether a failure of each kind is retryable by default. */
export const retryableByKind: Readonly<Record<FailureKind, boolean>> = {
  target: false,
  credential: false,
  content: false,
  rate: true,
  provider: true,
  ambiguous: true,
  expired: false,
}

/**
 * The error for a message that was not delivered, or whose delivery is uncertain. Providers should throw no other
 * error.
 */
export class DeliveryError extends Error {
  override readonly name = 'DeliveryError'
  readonly kind: FailureKind
  readonly code: string
  readonly retryable: boolean
  readonly retryAfterMs: number | undefined
  /** The provider's response, verbatim. Show it only in the server's log and to the owner of the credential. */
  readonly providerResponse: string | undefined

  constructor(input: DeliveryErrorInput) {
    super(input.detail)
    this.kind = input.kind
    this.code = input.code
    this.retryable = input.retryable ?? retryableByKind[input.kind]
    this.retryAfterMs = input.retryAfterMs
    this.providerResponse = input.providerResponse
  }

  /** The description of the error, written by the provider's author. The same as `message`. */
  get detail(): string {
    return this.message
  }

  /** Returns the failure as it is stored and shown to clients, without the provider's response. */
  toFailure(): Failure {
    return { kind: this.kind, code: this.code, detail: this.message, retryable: this.retryable }
  }
}
