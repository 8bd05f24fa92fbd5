import { ApiError } from './api-error.ts'

/** How long a response is stored under its idempotency key, in milliseconds. */
export const idempotencyKeyTtlMs = 24 * 3_600_000

/** Returns JSON with sorted keys, so that equal values have equal texts. */
export const toCanonicalJson = (value: unknown): string =>
  JSON.stringify(value, (_key, inner: unknown) =>
    inner !== null && typeof inner === 'object' && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  )

/**
 * Returns a text that identifies a request. A stored response is replayed only to a request with the same fingerprint.
 * It includes the project of the credential, so that a credential bound to one project never receives a response from outside
 * that project.
 * @param projectId The project that the credential is bound to, if any.
 * @param body The parsed body; `null` for an operation without one.
 */
export const fingerprintRequest = (projectId: string | undefined, body: unknown): string =>
  toCanonicalJson([projectId ?? null, body ?? null])

/**
 * Returns the canonical path of an operation. All spellings of a path (letter case, trailing slash, percent-encoding) map to it.
 * @param template The path of the route, with parameters such as `:project_id`.
 * @param params The decoded parameters.
 */
export const buildOperationPath = (template: string, params: Readonly<Record<string, string | undefined>>): string =>
  template.replace(/:([a-z_]+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))

/** The header of a replayed response. */
export const replayedHeaders = { 'Idempotency-Replayed': 'true' } as const

/** Returns the error for a request whose idempotency key another request is using right now. */
export const idempotencyInProgress = (): ApiError =>
  new ApiError('idempotency_in_progress', 'A request with this Idempotency-Key is still in progress.', { headers: { 'Retry-After': '1' } })

/** Returns the error for an idempotency key that a different request has used. */
export const idempotencyKeyReused = (): ApiError =>
  new ApiError('idempotency_key_reused', 'This Idempotency-Key was used with a different request. Use a new key for a new request.')

/**
 * Returns the error for a repeated request whose response contained a secret and was not stored.
 * @param headers The headers of the original response. `Location` is the path of the created resource.
 */
export const idempotencyNotReplayable = (headers: Readonly<Record<string, string>>): ApiError =>
  new ApiError(
    'idempotency_not_replayable',
    'The request with this Idempotency-Key was applied. Its response contained a secret and was not stored. If the response was lost, delete the created resource, which `Location` names, and send a new request with a new key.',
    { headers: { ...headers, ...replayedHeaders } },
  )
