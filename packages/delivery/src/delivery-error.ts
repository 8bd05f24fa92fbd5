import type { Failure, FailureKind } from '@flowpost/domain'

/** What a {@link DeliveryError} is made of. */
export interface DeliveryErrorInput {
  readonly kind: FailureKind
  /** The provider's own code where there is one, else snake_case of ours. Letters, digits, `.`, `_`, `:` and `-`, at most 64 characters. */
  readonly code: string
  /** What happened, in your own words: everybody who may see the delivery reads them. */
  readonly detail: string
  /**
   * What the provider said, word for word. Only for the log, and for whom the credential belongs to: a server may tell
   * names and addresses of the network that it stands in. The courier takes secrets and control characters out of this
   * and of the detail, and cuts both at 1,000 characters.
   */
  readonly answer?: string
  /** Whether the same message may succeed later. Default: true for `rate`, `provider` and `ambiguous`, else false. */
  readonly retryable?: boolean
  /** The wait that the provider asked for, in milliseconds. */
  readonly retryAfterMs?: number
}

const retryableKinds: ReadonlySet<FailureKind> = new Set(['rate', 'provider', 'ambiguous'])

/** Why a message was not delivered, or may not have been. The only error that a provider should throw. */
export class DeliveryError extends Error {
  override readonly name = 'DeliveryError'
  readonly kind: FailureKind
  readonly code: string
  readonly retryable: boolean
  readonly retryAfterMs: number | undefined
  /** What the provider said, for whom the credential belongs to. */
  readonly answer: string | undefined

  constructor(input: DeliveryErrorInput) {
    super(input.detail)
    this.kind = input.kind
    this.code = input.code
    this.retryable = input.retryable ?? retryableKinds.has(input.kind)
    this.retryAfterMs = input.retryAfterMs
    this.answer = input.answer
  }

  /** What happened, in words of the provider's author; the same as `message`. */
  get detail(): string {
    return this.message
  }

  /** The form that is stored and shown to clients: without the answer. */
  toFailure(): Failure {
    return { kind: this.kind, code: this.code, detail: this.message, retryable: this.retryable }
  }
}
