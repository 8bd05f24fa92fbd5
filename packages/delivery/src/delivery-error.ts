import type { Failure, FailureKind } from '@flowpost/domain'

/** The fields of a {@link DeliveryError}. */
export interface DeliveryErrorInput {
  readonly kind: FailureKind
  /** The provider's error code, or a snake_case code of your own. Letters, digits, `.`, `_`, `:` and `-`, at most 64 characters. */
  readonly code: string
  /** A description of the error in your own words. Everyone who may see the delivery can read it. */
  readonly detail: string
  /**
   * The provider's response, verbatim. It may reveal names and addresses of the server's network, so only the log and the
   * owner of the credential see it. The provider client redacts secrets and truncates it to 1,000 characters, like `detail`.
   */
  readonly providerResponse?: string
  /** Whether the same message may succeed later. @default true for `rate`, `provider` and `ambiguous`, else false */
  readonly retryable?: boolean
  /** The delay that the provider requested, in milliseconds. */
  readonly retryAfterMs?: number
}

const retryableKinds: ReadonlySet<FailureKind> = new Set(['rate', 'provider', 'ambiguous'])

/** The reason why a message was not delivered, or may not have been. The only error that a provider should throw. */
export class DeliveryError extends Error {
  override readonly name = 'DeliveryError'
  readonly kind: FailureKind
  readonly code: string
  readonly retryable: boolean
  readonly retryAfterMs: number | undefined
  /** The provider's response, verbatim. Only for the log and the owner of the credential. */
  readonly providerResponse: string | undefined

  constructor(input: DeliveryErrorInput) {
    super(input.detail)
    this.kind = input.kind
    this.code = input.code
    this.retryable = input.retryable ?? retryableKinds.has(input.kind)
    this.retryAfterMs = input.retryAfterMs
    this.providerResponse = input.providerResponse
  }

  /** The description of the error in the words of the provider's author. Equal to `message`. */
  get detail(): string {
    return this.message
  }

  /** Returns the failure as it is stored and shown to clients, without the provider's response. */
  toFailure(): Failure {
    return { kind: this.kind, code: this.code, detail: this.message, retryable: this.retryable }
  }
}
