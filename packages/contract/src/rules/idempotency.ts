import type { KeyMode } from '../access.ts'
import { ApiError } from './api-error.ts'

/** The time for which a response is stored under its idempotency key, in milliseconds. */
export const idempotencyKeyTtlMs = 24 * 3_600_000

/** Serializes a value as JSON with sorted keys, so that equal values result in equal strings. */
export const toCanonicalJson = (value: unknown): string =>
  JSON.stringify(value, (_key, inner: unknown) =>
    inner !== null && typeof inner === 'object' && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  )

/**
 * Returns the fingerprint of a request. A stored response is replayed only to a request with the same fingerprint. The
 * fingerprint includes the credential's project, so that a credential that is bound to one project never receives a response
 * from outside that project.
 * @param projectId The project that the credential is bound to, if any.
 * @param body The parsed body; `null` for an operation without one.
 */
export const fingerprintRequest = (projectId: string | undefined, body: unknown): string =>
  toCanonicalJson([projectId ?? null, body ?? null])

/**
 * Builds the canonical path of a request. Different spellings of a path (letter case, trailing slash, percent-encoding)
 * result in the same canonical path.
 * @param template The path of the route, with parameters such as `:project_id`.
 * @param params The decoded path parameters.
 */
export const buildOperationPath = (template: string, params: Readonly<Record<string, string | undefined>>): string =>
  template.replace(/:([a-z_]+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))

/**
 * Returns the name of the operation that an idempotency key belongs to. Requests with a test API key get a different name.
 * Otherwise, a test could use up the idempotency key of a real message, and the message would not be sent.
 * @param path The canonical path of the request.
 */
export const toIdempotentOperation = (mode: KeyMode, method: string, path: string): string =>
  `${mode === 'test' ? 'test ' : ''}${method} ${path}`

/** The headers that are added to a replayed response. */
export const replayedHeaders = { 'Idempotency-Replayed': 'true' } as const

/** Returns the error for a request whose idempotency key belongs to another request that is still in progress. */
export const idempotencyInProgress = (): ApiError =>
  new ApiError('idempotency_in_progress', 'A request with this Idempotency-Key is still in progress.', { headers: { 'Retry-After': '1' } })

/** Returns the error for a request whose idempotency key was used with a different request. */
export const idempotencyKeyReused = (): ApiError =>
  new ApiError('idempotency_key_reused', 'This Idempotency-Key was used with a different request. Use a new key for a new request.')

/**
 * Returns the error for a repeated request whose original response was not stored because it contained a secret.
 * @param headers The headers of the original response. If there is a `Location`, it is the path of the created or changed
 * resource.
 */
export const idempotencyNotReplayable = (headers: Readonly<Record<string, string>>): ApiError =>
  new ApiError(
    'idempotency_not_replayable',
    'An earlier request with this Idempotency-Key was applied. Its response contained a secret and was not stored. If you did not receive that response, delete the resource that the earlier request created, if any; `Location` contains its path. Then send the request again with a new key.',
    { headers: { ...headers, ...replayedHeaders } },
  )
