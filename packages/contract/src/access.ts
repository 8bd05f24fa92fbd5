import { type ProblemCode, problemResponses } from './problem.ts'

/** The permissions that a credential can have. Each operation requires exactly one of them. */
export const scopes = ['settings:read', 'settings:write', 'keys:write', 'notifications:send', 'notifications:read'] as const

/** A permission that a credential can have. */
export type Scope = (typeof scopes)[number]

/** The modes of an API key. Messages that are sent with a test key are captured, never delivered. */
export const keyModes = ['live', 'test'] as const

/** The mode of an API key. */
export type KeyMode = (typeof keyModes)[number]

/** The rules that an operation declares in addition to its schemas. */
export interface OperationMetadata {
  /** The scope that the operation requires. */
  readonly scope: Scope
  /** Every problem code that the operation can return. */
  readonly problems: readonly ProblemCode[]
  /** Whether the operation supports `Idempotency-Key`. */
  readonly idempotent: boolean
  /** Whether the operation rejects every credential that is bound to one project. */
  readonly unbound: boolean
  /**
   * The body field whose items the operation validates separately, so that an invalid item does not affect the others.
   */
  readonly itemsField?: string
}

const commonCodes = ['malformed_header', 'unauthenticated', 'scope_missing', 'rate_limited', 'internal', 'unavailable'] as const
const inputCodes = ['validation_failed'] as const
const bodyCodes = ['invalid_json', 'body_too_large', 'unsupported_media_type', 'validation_failed'] as const

/** Returns the metadata and the error responses of an operation without a request body. */
export const declareRead = <const C extends readonly ProblemCode[]>(scope: Scope, codes: C) =>
  declare(scope, [...commonCodes, ...inputCodes, ...codes] as const, false)

/** Returns the metadata and the error responses of an operation with a request body. */
export const declareWrite = <const C extends readonly ProblemCode[]>(scope: Scope, codes: C) =>
  declare(scope, [...commonCodes, ...bodyCodes, ...codes] as const, false)

const declare = <const C extends readonly ProblemCode[]>(scope: Scope, codes: C, idempotent: boolean) => ({
  metadata: { scope, problems: codes, idempotent, unbound: false } satisfies OperationMetadata,
  responses: problemResponses(codes),
})
