/** How long an answer is kept under its idempotency key, in milliseconds. */
export const idempotencyKeptMs = 24 * 3_600_000

/** JSON with sorted keys: the same for two values that mean the same. */
export const canonicalJson = (value: unknown): string =>
  JSON.stringify(value, (_key, inner: unknown) =>
    inner !== null && typeof inner === 'object' && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  )

/**
 * What a request with an idempotency key must be the same in, to be given the first answer again. The project of the
 * credential is part of it: a key for one project must not be shown what another credential of the user did elsewhere.
 * @param projectId The only project that the credential is for, if there is one.
 * @param body The parsed body; `null` for an operation without one.
 */
export const requestFingerprint = (projectId: string | undefined, body: unknown): string => canonicalJson([projectId ?? null, body ?? null])
