import type { Operation } from '../../named-types.ts'

/** A JSON value. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json }

/** Which entity tag a conditional request carries: the last one seen of the resource, the one before it, or something else. */
export type TagChoice = 'current' | 'stale' | 'weak' | 'any' | 'unknown'

/**
 * One request of a sequence, as plain data, so that a sequence can be printed and played again. Resources are named by
 * their number in the order in which the sequence made them, modulo how many there are; without any, an id that nothing has.
 */
export interface Step {
  readonly operation: Operation
  readonly project?: number
  readonly flow?: number
  readonly notification?: number
  readonly apiKey?: number
  readonly source_type?: string
  /** The credential: one that the sequence made. Default: that of the target. */
  readonly as?: number
  /** A body. `$project`, `$flow` and `$later` in it stand for ids, and for an instant far ahead. */
  readonly body?: { readonly [field: string]: Json }
  readonly query?: { readonly [name: string]: string }
  /** A cursor: the last one that this operation gave, or one that no list gave. */
  readonly cursor?: 'last' | 'junk'
  /** One of a few idempotency keys. */
  readonly idempotencyKey?: number
  readonly ifMatch?: TagChoice
  readonly ifNoneMatch?: TagChoice
}
