import type { Operation } from '../../public-types.ts'

/** A JSON value. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json }

/** The entity tag of a conditional request: the current one of the resource, an earlier one, or another value. */
export type TagChoice = 'current' | 'stale' | 'weak' | 'any' | 'unknown'

/**
 * One request of a sequence as plain data, so that a sequence can be printed and reproduced. A resource is identified by its
 * creation index, modulo the number of resources. If there are none, the request uses an unknown id.
 */
export interface Step {
  readonly operation: Operation
  readonly project?: number
  readonly flow?: number
  readonly notification?: number
  readonly apiKey?: number
  readonly source_type?: string
  /** The index of an API key of the sequence. Defaults to the key of the target. */
  readonly as?: number
  /** The body. `$project` and `$flow` are replaced by ids, `$later` by a timestamp far ahead. */
  readonly body?: { readonly [field: string]: Json }
  readonly query?: { readonly [name: string]: string }
  /** The last cursor of the operation, or an invalid one. */
  readonly cursor?: 'last' | 'junk'
  /** The index of an idempotency key. */
  readonly idempotencyKey?: number
  readonly ifMatch?: TagChoice
  readonly ifNoneMatch?: TagChoice
}

/** One of two servers to compare. Its user must have no projects, and no other client may use it. */
export interface ModelTarget {
  /** The name of the server in reports, such as `mock`. */
  readonly name: string
  /** The base URL without a trailing slash. */
  readonly baseUrl: string
  /** An API key with all scopes that is not bound to a project. */
  readonly apiKey: string
  /** The function that sends requests. Defaults to `globalThis.fetch`. */
  readonly fetch?: (input: string, init: RequestInit) => Promise<Response>
  /** Advances the clock of the server by at least one millisecond, so that changes have different timestamps. */
  readonly tick: () => Promise<unknown>
}
