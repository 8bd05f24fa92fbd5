import { api, type OperationMetadata } from '@flowpost/contract'
import type { Operation } from '../named-types.ts'

/** The part of a schema that is used: zod's, without naming zod. */
export interface Schema {
  safeParse(value: unknown): { readonly success: true; readonly data: unknown } | { readonly success: false; readonly error: unknown }
}

/** A route of the contract, as far as it is read at run time. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly path: string
  readonly query?: unknown
  readonly headers?: Readonly<Record<string, unknown>>
  readonly body?: unknown
  readonly responses: Readonly<Record<number, unknown>>
  readonly metadata: OperationMetadata
}

/** An operation with its route. */
export interface NamedRoute {
  readonly operation: Operation
  readonly route: Route
}

/** Every operation of the contract. */
export const operations: readonly NamedRoute[] = Object.entries(api).flatMap(([group, routes]) =>
  Object.entries(routes as unknown as Record<string, Route>).map(([name, route]) => ({
    operation: `${group}.${name}` as Operation,
    route,
  })),
)

/** Whether something in a route is a schema; an operation without a body has a symbol there. */
export const isSchema = (value: unknown): value is Schema =>
  value !== null && typeof value === 'object' && typeof (value as Partial<Schema>).safeParse === 'function'

const patternOf = (path: string): RegExp => new RegExp(`^${path.replace(/:([a-z_]+)/g, '(?<$1>[^/]+)')}/?$`, 'i')

const patterns = operations.map((each) => ({ ...each, pattern: patternOf(each.route.path) }))

/** What a path leads to. */
export type Match =
  | { readonly kind: 'operation'; readonly named: NamedRoute; readonly params: Readonly<Record<string, string>> }
  | { readonly kind: 'other methods'; readonly methods: readonly string[] }
  | { readonly kind: 'nothing' }

/**
 * Finds the operation of a request. `HEAD` is answered as `GET` is.
 * @throws URIError when an identifier of the path cannot be decoded.
 */
export const matchOperation = (method: string, path: string): Match => {
  const served = method === 'HEAD' ? 'GET' : method
  const there = patterns.flatMap((each) => {
    const found = each.pattern.exec(path)
    return found ? [{ ...each, groups: found.groups ?? {} }] : []
  })
  const match = there.find(({ route }) => route.method === served)
  if (match) {
    const params = Object.fromEntries(Object.entries(match.groups).map(([name, value]) => [name, decodeURIComponent(value)]))
    return { kind: 'operation', named: match, params }
  }
  const methods = new Set(there.flatMap(({ route }) => (route.method === 'GET' ? ['GET', 'HEAD'] : [route.method])))
  return methods.size > 0 ? { kind: 'other methods', methods: [...methods] } : { kind: 'nothing' }
}
