import { api, type OperationMetadata } from '@flowpost/contract'
import type { Operation } from '../public-types.ts'

/** The part of a zod schema that the mock uses, declared without zod's own types. */
export interface Schema {
  safeParse(value: unknown): { readonly success: true; readonly data: unknown } | { readonly success: false; readonly error: unknown }
}

/** The fields of a contract route that this package uses. */
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

/** Returns whether a value is a schema. In a contract route, a symbol in place of a schema means that there is no body. */
export const isSchema = (value: unknown): value is Schema =>
  value !== null && typeof value === 'object' && typeof (value as Partial<Schema>).safeParse === 'function'

const createPattern = (path: string): RegExp => new RegExp(`^${path.replace(/:([a-z_]+)/g, '(?<$1>[^/]+)')}/?$`, 'i')

const patterns = operations.map((named) => ({ ...named, pattern: createPattern(named.route.path) }))

/** The result of routing a request. */
export type Match =
  | { readonly kind: 'operation'; readonly named: NamedRoute; readonly params: Readonly<Record<string, string>> }
  | { readonly kind: 'other methods'; readonly methods: readonly string[] }
  | { readonly kind: 'nothing' }

/** Decodes an identifier in a path. Like the server, reads an identifier that cannot be decoded as literal text. */
const decodeParam = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch (error) {
    if (error instanceof URIError) return text
    throw error
  }
}

const decodeParams = (groups: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(groups).map(([name, value]) => [name, decodeParam(value)]))

/** Routes a request to its operation. `HEAD` is routed like `GET`. */
export const matchOperation = (method: string, path: string): Match => {
  const servedMethod = method === 'HEAD' ? 'GET' : method
  const candidates = patterns.flatMap((candidate) => {
    const pathMatch = candidate.pattern.exec(path)
    return pathMatch ? [{ ...candidate, params: decodeParams(pathMatch.groups ?? {}) }] : []
  })
  const match = candidates.find(({ route }) => route.method === servedMethod)
  if (match) return { kind: 'operation', named: match, params: match.params }
  const methods = new Set(candidates.flatMap(({ route }) => (route.method === 'GET' ? ['GET', 'HEAD'] : [route.method])))
  return methods.size > 0 ? { kind: 'other methods', methods: [...methods] } : { kind: 'nothing' }
}
