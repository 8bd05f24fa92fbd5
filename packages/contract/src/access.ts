import { type ProblemCode, problemResponses } from './problem.ts'

/** The permissions of credentials. Each operation requires exactly one. */
export const scopes = ['settings:read', 'settings:write', 'keys:write', 'notifications:send', 'notifications:read'] as const

/** A permission of a credential. */
export type Scope = (typeof scopes)[number]

/** The metadata that an operation declares in addition to its schemas. */
export interface OperationMetadata {
  /** The scope that the operation requires. */
  readonly scope: Scope
  /** Every problem code that the operation can return. */
  readonly problems: readonly ProblemCode[]
  /** Whether the operation supports `Idempotency-Key`. */
  readonly idempotent: boolean
  /** Whether the operation rejects credentials that are bound to one project, because it creates or deletes projects. */
  readonly unbound: boolean
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
