import type { Operation } from '../../public-types.ts'

/** A JSON value. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json }

/**
 * The entity tag in a conditional request. `current` is the resource's current tag, `stale` is an earlier tag,
 * `several` is a list that contains the current tag, `weak` is the current tag marked as weak, and `any` is `*`.
 */
export type TagChoice = 'current' | 'stale' | 'several' | 'weak' | 'any' | 'unknown' | 'malformed'

/**
 * The cursor in a list request. `last` is the list's most recent cursor, `other` is another list's most recent cursor,
 * `changed` is `last` with one character changed, and `junk` is invalid.
 */
export type CursorChoice = 'last' | 'other' | 'changed' | 'junk'

/**
 * One request in a sequence, as plain data, so that sequences can be printed and reproduced. A number in a field such
 * as `project` selects a resource in creation order: 0 is the oldest, -1 the newest, and numbers beyond either end wrap
 * around. If there are no resources, the request uses an unknown id.
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
  /**
   * Selects the API key that authenticates the request, from the API keys that the sequence created. The key may be revoked
   * or expired. If omitted, or if there is no such key, the request uses {@link ModelTarget.apiKey}.
   */
  readonly as?: number
  /**
   * The body. These placeholders are replaced with values, here and in `query`:
   * - `$project` and `$flow`: ids
   * - `$name0` to `$name3` and `$NAME0`: names that only this sequence uses
   * - `$unique`: a name that only this request uses
   * - `$key0` and `$key1`: keys that only this sequence uses, for example as project keys or idempotency keys
   * - `$earlier`: a timestamp one hour ago
   * - `$soon` and `$later`: timestamps one hour ahead and several days ahead
   */
  readonly body?: { readonly [field: string]: Json }
  readonly query?: { readonly [name: string]: string }
  readonly cursor?: CursorChoice
  /** A number that identifies one of the sequence's idempotency keys. */
  readonly idempotencyKey?: number
  readonly ifMatch?: TagChoice
  readonly ifNoneMatch?: TagChoice
  /** Whether the path is in upper case, except for its parameters, and has a trailing slash. */
  readonly isPathRespelled?: boolean
  /** Milliseconds by which to advance the servers' clocks before the request. Requires {@link ModelTarget.clock}. */
  readonly advanceMs?: number
}

/** A server's clock. */
export interface TargetClock {
  /** Returns the current time in milliseconds since the epoch. */
  now(): number
  advance(ms: number): Promise<unknown>
}

/** One of two servers to compare. The API key's user must have no projects, and no other client may use the server. */
export interface ModelTarget {
  /** The name of the server in reports, such as `mock`. */
  readonly name: string
  /** The base URL without a trailing slash. */
  readonly baseUrl: string
  /** An API key that has all scopes and is not bound to a project. */
  readonly apiKey: string
  /** The function that sends requests. Defaults to `globalThis.fetch`. */
  readonly fetch?: (input: string, init: RequestInit) => Promise<Response>
  /** Advances the server's clock by at least one millisecond, so that consecutive changes have different timestamps. */
  readonly tick: () => Promise<unknown>
  /** The server's clock. Steps that advance the time run only if both of the compared servers have a clock. */
  readonly clock?: TargetClock
  /**
   * Whether messages may be delivered. If not, all messages are scheduled days ahead and canceled.
   * @default false
   */
  readonly mayDeliver?: boolean
}
