import { type KeyMode, scopes as knownScopes, type Scope } from '../access.ts'
import type { FieldError } from '../problem.ts'
import { ApiError } from './api-error.ts'

/** The credential that creates an API key. */
export interface KeyCreator {
  readonly scopes: readonly Scope[]
  readonly mode: KeyMode
  /** When the credential expires, in milliseconds since the epoch; `undefined` if it never does. */
  readonly expiresAt?: number | undefined
}

const findScopeErrors = ({ scopes }: KeyCreator, requested: unknown): FieldError[] => {
  if (!Array.isArray(requested)) return []
  return requested.flatMap((scope: unknown, index): FieldError[] => {
    const isKnown = (knownScopes as readonly unknown[]).includes(scope)
    if (!isKnown || (scopes as readonly unknown[]).includes(scope)) return []
    const message = `Must be one of the scopes of the credential that creates the key: ${scopes.join(', ')}.`
    return [{ in: 'body', pointer: `/scopes/${index}`, code: 'invalid_value', message }]
  })
}

// The latest time that RFC 3339 can express in UTC. A timestamp with a UTC offset can denote a later time.
const maxTimestampMs = Date.parse('9999-12-31T23:59:59.999Z')

const findExpiryErrors = ({ expiresAt }: KeyCreator, nowMs: number, requested: unknown): FieldError[] => {
  const requestedMs = typeof requested === 'string' ? Date.parse(requested) : Number.NaN
  const toErrors = (message: string): FieldError[] => [{ in: 'body', pointer: '/expires_at', code: 'invalid_value', message }]
  if (requestedMs <= nowMs) return toErrors('Must be in the future.')
  if (expiresAt !== undefined && requestedMs > expiresAt)
    return toErrors(`Must not be later than the expiry of the credential that creates the key: ${new Date(expiresAt).toISOString()}.`)
  return requestedMs > maxTimestampMs ? toErrors('Must be before the year 10000 in UTC.') : []
}

const findModeErrors = ({ mode }: KeyCreator, requested: unknown): FieldError[] =>
  mode === 'test' && requested === 'live'
    ? [{ in: 'body', pointer: '/mode', code: 'invalid_value', message: 'Must be `test`: a test key can create only test keys.' }]
    : []

/**
 * Validates a request to create a key, and returns the errors. The new key may have only scopes that the creator has. A
 * test key may create only test keys. The expiry must be in the future, before the year 10000, and not later than the
 * creator's expiry. Ignores values that the schema rejects.
 */
export const findApiKeyErrors = (creator: KeyCreator, nowMs: number, body: unknown): FieldError[] => {
  if (body === null || typeof body !== 'object') return []
  const { scopes, mode, expires_at } = body as { scopes?: unknown; mode?: unknown; expires_at?: unknown }
  return [...findScopeErrors(creator, scopes), ...findModeErrors(creator, mode), ...findExpiryErrors(creator, nowMs, expires_at)]
}

/** Returns the scopes without duplicates, in the contract's order. */
export const sortScopes = (scopes: readonly Scope[]): Scope[] => knownScopes.filter((scope) => scopes.includes(scope))

/** The credential that revokes a key. */
export interface KeyRevoker {
  /** The id of the credential if it is an API key; `undefined` if it is an access token from the OIDC issuer. */
  readonly keyId?: string | undefined
  readonly scopes: readonly Scope[]
  readonly mode: KeyMode
  /** When the credential expires, in milliseconds since the epoch; `undefined` if it never does. */
  readonly expiresAt?: number | undefined
}

/**
 * A key to revoke. The caller must have verified that the key belongs to the same user as the credential and, if the
 * credential is bound to a project, to that project.
 */
export interface RevocableKey {
  readonly id: string
  readonly scopes: readonly Scope[]
  readonly mode: KeyMode
  /** When the key expires, in milliseconds since the epoch; `null` if it never does. */
  readonly expiresAt: number | null
  /** Whether the key is a bootstrap key, which the operator sets in the environment (`FLOWPOST_BOOTSTRAP_KEYS`). */
  readonly bootstrap: boolean
  /** The ids of the keys that created this key, directly or indirectly. */
  readonly ancestorIds: readonly string[]
}

const rejectRight = (detail: string): never => {
  throw new ApiError('scope_missing', detail, {
    // RFC 6750, section 3.1.
    headers: { 'WWW-Authenticate': 'Bearer realm="flowpost", error="insufficient_scope"' },
  })
}

/**
 * Rejects the revocation of a key that is more powerful than the credential. Otherwise, someone with a limited key could
 * revoke the owner's more powerful keys. A key is more powerful if it has additional scopes, if it is live and the
 * credential is a test key, or if it is valid for longer than the credential. An access token may revoke a key that is
 * valid for longer. A key may always revoke itself and the keys that were created with it, directly or indirectly. Only
 * the operator can remove a bootstrap key, so its revocation is always rejected.
 * @throws ApiError `scope_missing`.
 */
export const requireRevocable = (credential: KeyRevoker, key: RevocableKey): void => {
  if (key.bootstrap) rejectRight('A bootstrap key cannot be revoked through the API. The operator removes it from FLOWPOST_BOOTSTRAP_KEYS.')
  if (credential.keyId !== undefined && (key.id === credential.keyId || key.ancestorIds.includes(credential.keyId))) return
  const excess = key.scopes.filter((scope) => !credential.scopes.includes(scope))
  if (excess.length > 0)
    rejectRight(`The key has scopes that your credential lacks: ${excess.join(', ')}. Revoke the key with a credential that has them.`)
  if (key.mode === 'live' && credential.mode === 'test')
    rejectRight('The key is live and your credential is a test key. Revoke the key with a live key.')
  // An access token may revoke a key that is valid for longer than the token, because a creator may revoke its keys. All access
  // tokens of an OIDC user count as one creator. The user's keys were all created with these tokens, directly or indirectly.
  if (credential.keyId === undefined || credential.expiresAt === undefined) return
  if (key.expiresAt === null || key.expiresAt > credential.expiresAt)
    rejectRight(
      'The key is valid for longer than your credential. Revoke it with a credential that is valid for at least as long as the key.',
    )
}

/**
 * Rejects a receipt that a test key records for a live message, because such a receipt could add a real recipient to the
 * suppression list.
 * @throws ApiError `scope_missing`.
 */
export const requireRecordingMode = (credential: { readonly mode: KeyMode }, notification: { readonly test: boolean }): void => {
  if (credential.mode === 'test' && !notification.test)
    rejectRight('A test key cannot record a receipt for a message that was sent with a live key. Use a live key.')
}

/**
 * Rejects a retry that a test key requests for a live notification, because the retried message would be delivered. The
 * retry of a test notification is always captured, whichever key requests it.
 * @throws ApiError `scope_missing`.
 */
export const requireRetryMode = (credential: { readonly mode: KeyMode }, notification: { readonly test: boolean }): void => {
  if (credential.mode === 'test' && !notification.test)
    rejectRight(
      'A test key cannot retry a notification that was sent with a live key, because the retry would be delivered. Use a live key.',
    )
}
