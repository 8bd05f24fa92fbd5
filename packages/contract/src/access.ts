import { type ProblemCode, problemResponses } from './problem.ts'

/** What a credential may do. An operation declares the one that it needs. */
export const scopes = ['settings:read', 'settings:write', 'keys:write', 'notifications:send', 'notifications:read'] as const

/** A permission of a credential. */
export type Scope = (typeof scopes)[number]

/** What an operation declares beside its schemas. */
export interface OperationMetadata {
  /** The scope that a credential must have. */
  readonly scope: Scope
  /** Every problem code that the operation can answer with. */
  readonly problems: readonly ProblemCode[]
  /** Whether it honours `Idempotency-Key`. */
  readonly idempotent: boolean
  /** Whether a credential that is bound to one project is refused: the operation is about the projects themselves. */
  readonly unbound: boolean
}

const everywhere = ['malformed_header', 'unauthenticated', 'scope_missing', 'rate_limited', 'internal', 'unavailable'] as const
const withInput = ['validation_failed'] as const
const withBody = ['invalid_json', 'body_too_large', 'unsupported_media_type', 'validation_failed'] as const

/** The part of an operation that follows from who may call it and what can go wrong. */
export const reads = <const C extends readonly ProblemCode[]>(scope: Scope, own: C) =>
  declare(scope, [...everywhere, ...withInput, ...own] as const, false)

/** As {@link reads}, for an operation with a request body. */
export const writes = <const C extends readonly ProblemCode[]>(scope: Scope, own: C) =>
  declare(scope, [...everywhere, ...withBody, ...own] as const, false)

const declare = <const C extends readonly ProblemCode[]>(scope: Scope, codes: C, idempotent: boolean) => ({
  metadata: { scope, problems: codes, idempotent, unbound: false } satisfies OperationMetadata,
  responses: problemResponses(codes),
})
