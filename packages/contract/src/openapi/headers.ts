import type { OperationMetadata } from '../access.ts'
import type { ProblemCode } from '../problem.ts'

const text = { type: 'string' } as const

/** The OpenAPI components of the response headers, by name. */
export const headerComponents = {
  'X-Request-Id': {
    description:
      'Identifies the request in the server log. If the client sends this header with up to 128 letters, digits and `._:/+=@-`, the response repeats the value. Otherwise, the server generates one.',
    schema: { ...text, examples: ['0193a1b2-6f0e-7c3d-9a44-1f2e3d4c5b6a'] },
  },
  ETag: {
    description: 'The strong entity tag of the resource (RFC 9110). Send it in `If-Match` or `If-None-Match`.',
    schema: { ...text, examples: ['"q2uJpA0pJm6yJ8xw9m0y0g"'] },
  },
  Location: { description: 'The path of the created resource.', schema: { ...text, format: 'uri-reference' } },
  'Idempotency-Replayed': {
    description:
      'Set if the request repeats an earlier successful request with the same `Idempotency-Key`, and therefore has no further effect. The status is then 409 if the earlier response contained a secret and was not stored.',
    schema: { ...text, enum: ['true'] },
  },
  'Flowpost-Settings-Changed': {
    description: "Set when the project's current settings do not match the digest in `Flowpost-Settings-Digest`.",
    schema: { ...text, enum: ['true'] },
  },
  'Retry-After': { description: 'The number of seconds to wait before retrying.', schema: { type: 'integer', minimum: 0 } },
  RateLimit: {
    description:
      'The number of remaining requests (`r`), and the number of seconds until the limit resets (`t`). Sent if a rate limit applies to the request (IETF draft `ratelimit-headers`). Does not cover two other limits: on open requests with `wait`, and on running bulk actions.',
    schema: { ...text, examples: ['"credential";r=5999;t=60'] },
  },
  'RateLimit-Policy': {
    description:
      'The rate limit: the number of requests (`q`) per window of `w` seconds. Sent if a rate limit applies to the request (IETF draft `ratelimit-headers`).',
    schema: { ...text, examples: ['"credential";q=6000;w=60'] },
  },
  'WWW-Authenticate': {
    description: 'States how to authenticate, or which scope is missing (RFC 6750).',
    schema: { ...text, examples: ['Bearer realm="flowpost"'] },
  },
} as const

/** The name of a response header. */
export type HeaderName = keyof typeof headerComponents

const toReferences = (names: Iterable<HeaderName>) =>
  Object.fromEntries([...new Set(names)].map((name) => [name, { $ref: `#/components/headers/${name}` }]))

/** The fields of a route that determine its response headers. */
interface HeaderRoute {
  readonly method: string
  readonly path: string
  readonly headers?: unknown
}

const declares = (route: HeaderRoute, header: string): boolean => Object.hasOwn((route.headers as object | undefined) ?? {}, header)

/** Returns the operation `GET <path>/:id`, which reads the resources that a POST to `<path>` creates. */
const findReadOfCreated = (route: HeaderRoute, routes: readonly HeaderRoute[]): HeaderRoute | undefined =>
  route.method === 'POST'
    ? routes.find(
        ({ method, path }) => method === 'GET' && path.startsWith(`${route.path}/:`) && !path.slice(route.path.length + 2).includes('/'),
      )
    : undefined

/**
 * Returns the names of the headers that a success response can have. A response may lack some of these headers, but not
 * `ETag` or `Location`.
 * @param routes All routes of the contract.
 */
export const successHeaderNames = (
  route: HeaderRoute,
  metadata: OperationMetadata,
  status: number,
  routes: readonly HeaderRoute[],
): HeaderName[] => {
  const names: HeaderName[] = ['X-Request-Id']
  const readOfCreated = status === 201 || status === 202 ? findReadOfCreated(route, routes) : undefined
  if (status === 201 || readOfCreated) names.push('Location')
  // POST is excluded, because the POST that applies a settings document accepts `If-Match`, but its response has no `ETag`.
  const isConditional = route.method !== 'POST' && (declares(route, 'if-none-match') || declares(route, 'if-match'))
  if ((isConditional && (status === 200 || status === 304)) || (readOfCreated && declares(readOfCreated, 'if-none-match')))
    names.push('ETag')
  names.push('RateLimit', 'RateLimit-Policy')
  if (metadata.idempotent && !metadata.problems.includes('idempotency_not_replayable')) names.push('Idempotency-Replayed')
  if (metadata.itemsField) names.push('Retry-After')
  if (declares(route, 'flowpost-settings-digest')) names.push('Flowpost-Settings-Changed')
  return names
}

/** Returns the OpenAPI headers of a success response. */
export const successHeaders = (...response: Parameters<typeof successHeaderNames>) => toReferences(successHeaderNames(...response))

// These errors occur before the server has parsed the body, which names the project whose settings are compared.
const statusesBeforeComparison: ReadonlySet<number> = new Set([401, 403, 413, 415, 429])

/** Returns the names of the headers that an error response of this route can have, in addition to those of {@link problemHeaders}. */
export const routeProblemHeaderNames = (
  route: HeaderRoute,
  metadata: OperationMetadata,
  status: number,
  routes: readonly HeaderRoute[],
): HeaderName[] => {
  const names: HeaderName[] = []
  if (declares(route, 'flowpost-settings-digest') && !statusesBeforeComparison.has(status)) names.push('Flowpost-Settings-Changed')
  // The response `idempotency_not_replayable` has the headers of the response that it replaces.
  const isNotReplayable = status === 409 && metadata.problems.includes('idempotency_not_replayable')
  if (isNotReplayable && successHeaderNames(route, metadata, 201, routes).includes('ETag')) names.push('ETag')
  return names
}

/**
 * Returns the OpenAPI headers of an error response with one of these problem codes.
 * @param routeNames The names of additional headers. Default: none.
 */
export const problemHeaders = (status: number, codes: readonly ProblemCode[], routeNames: readonly HeaderName[] = []) => {
  const names: HeaderName[] = ['X-Request-Id', 'RateLimit', 'RateLimit-Policy']
  if (status === 401 || status === 403) names.push('WWW-Authenticate')
  if (status === 429 || status === 503 || codes.includes('idempotency_in_progress')) names.push('Retry-After')
  if (codes.includes('idempotency_not_replayable')) names.push('Location', 'Idempotency-Replayed')
  return toReferences([...names, ...routeNames])
}
