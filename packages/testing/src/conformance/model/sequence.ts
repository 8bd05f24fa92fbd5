import type { Operation } from '../../public-types.ts'

/** A JSON value. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json }

/**
 * The entity tag of a conditional request: the current one of the resource, an earlier one, a list that contains the current
 * one, or another value.
 */
export type TagChoice = 'current' | 'stale' | 'several' | 'weak' | 'any' | 'unknown' | 'malformed'

/**
 * The cursor of a list: the last one that the list returned, the last one of another list, the last one with one character
 * changed, or an invalid one.
 */
export type CursorChoice = 'last' | 'other' | 'changed' | 'junk'

/**
 * One request of a sequence as plain data, so that a sequence can be printed and reproduced. A resource is identified by its
 * creation index, modulo the number of resources; a negative index counts from the newest one, which is -1. If there are no
 * resources, the request uses an unknown id.
 */
export interface Step {
  readonly operation: Operation
  readonly project?: number
  readonly flow?: number
  readonly notification?: number
  readonly suppression?: number
  readonly apiKey?: number
  readonly eventEndpoint?: number
  readonly bulkAction?: number
  readonly source_type?: string
  /** The index of an API key of the sequence, which may be revoked or expired. Defaults to the key of the target. */
  readonly as?: number
  /**
   * The body. `$project` and `$flow` are replaced by ids; `$name0` to `$name3` and `$NAME0` by names, and `$unique` by a
   * new one; `$key0` and `$key1` by keys; `$earlier`, `$soon` and `$later` by timestamps an hour ago, an hour ahead, and
   * days ahead.
   */
  readonly body?: { readonly [field: string]: Json }
  readonly query?: { readonly [name: string]: string }
  readonly cursor?: CursorChoice
  /** The index of an idempotency key. */
  readonly idempotencyKey?: number
  readonly ifMatch?: TagChoice
  readonly ifNoneMatch?: TagChoice
  /** Spells the path in upper case, except for ids, and with a trailing slash. */
  readonly isPathRespelled?: boolean
  /** Advances the clocks of the servers by this number of milliseconds before the request. Requires {@link ModelTarget.clock}. */
  readonly advanceMs?: number
}

/** The clock of a server. */
export interface TargetClock {
  /** Returns milliseconds since the epoch. */
  now(): number
  advance(ms: number): Promise<unknown>
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
  /** Advances the clock of the server by at least one millisecond, so that two changes have different timestamps. */
  readonly tick: () => Promise<unknown>
  /** The clock of the server. Unless both servers have a clock, steps that advance the time are left out. */
  readonly clock?: TargetClock
  /**
   * Whether messages may be delivered. If not, all messages are scheduled days ahead and canceled.
   * @default false
   */
  readonly mayDeliver?: boolean
}
