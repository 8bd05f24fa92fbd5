import type { AppRoute } from '@ts-rest/core'
import type { OperationMetadata } from '../access.ts'
import type { ProblemCode } from '../problem.ts'

const text = { type: 'string' } as const

/** The headers that answers carry, by name. */
export const headerComponents = {
  'X-Request-Id': {
    description: 'Names the request in the log of the server. A sane one in the request is kept, else one is made.',
    schema: { ...text, examples: ['0193a1b2-6f0e-7c3d-9a44-1f2e3d4c5b6a'] },
  },
  ETag: {
    description: 'The strong entity tag of the resource (RFC 9110), for `If-Match` and `If-None-Match`.',
    schema: { ...text, examples: ['"q2uJpA0pJm6yJ8xw9m0y0g"'] },
  },
  Location: { description: 'The path of the new resource.', schema: { ...text, format: 'uri-reference' } },
  'Idempotency-Replayed': {
    description: 'Set when this is the answer to an earlier request with the same `Idempotency-Key`.',
    schema: { ...text, enum: ['true'] },
  },
  'Retry-After': { description: 'After how many seconds to try again.', schema: { type: 'integer', minimum: 0 } },
  RateLimit: {
    description: 'What is left of the limit and when it is renewed, where there is one (IETF draft `ratelimit-headers`).',
    schema: { ...text, examples: ['"credential";r=5999;t=60'] },
  },
  'RateLimit-Policy': {
    description: 'The limit and its window, where there is one (IETF draft `ratelimit-headers`).',
    schema: { ...text, examples: ['"credential";q=6000;w=60'] },
  },
  'WWW-Authenticate': {
    description: 'How to authenticate, or which scope is missing (RFC 6750).',
    schema: { ...text, examples: ['Bearer realm="flowpost"'] },
  },
} as const

/** The name of a header that answers carry. */
export type HeaderName = keyof typeof headerComponents

const references = (names: Iterable<HeaderName>) =>
  Object.fromEntries([...new Set(names)].map((name) => [name, { $ref: `#/components/headers/${name}` }]))

const declares = (route: AppRoute, header: string): boolean => Object.hasOwn((route.headers as object | undefined) ?? {}, header)

/** The read of what a POST to a collection makes: `GET <path>/:id`. */
const readOfCreated = (route: AppRoute, routes: readonly AppRoute[]): AppRoute | undefined =>
  route.method === 'POST'
    ? routes.find(
        ({ method, path }) => method === 'GET' && path.startsWith(`${route.path}/:`) && !path.slice(route.path.length + 2).includes('/'),
      )
    : undefined

/** The headers of an answer that is not an error. */
export const successHeaders = (route: AppRoute, metadata: OperationMetadata, status: number, routes: readonly AppRoute[]) => {
  const names: HeaderName[] = ['X-Request-Id']
  const created = status === 201 || status === 202 ? readOfCreated(route, routes) : undefined
  if (status === 201 || created) names.push('Location')
  const isConditional = (status === 200 || status === 304) && (declares(route, 'if-none-match') || declares(route, 'if-match'))
  if (isConditional || (created && declares(created, 'if-none-match'))) names.push('ETag')
  names.push('RateLimit', 'RateLimit-Policy')
  if (metadata.idempotent && !metadata.problems.includes('idempotency_not_replayable')) names.push('Idempotency-Replayed')
  return references(names)
}

/** The headers of an error with one of these codes. */
export const problemHeaders = (status: number, codes: readonly ProblemCode[]) => {
  const names: HeaderName[] = ['X-Request-Id']
  if (status === 401 || status === 403) names.push('WWW-Authenticate')
  if (status === 429) names.push('RateLimit', 'RateLimit-Policy')
  if (status === 429 || status === 503 || codes.includes('idempotency_in_progress')) names.push('Retry-After')
  if (codes.includes('idempotency_not_replayable')) names.push('Location', 'Idempotency-Replayed')
  return references(names)
}
