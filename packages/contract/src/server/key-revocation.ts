import type { Scope } from '../access.ts'
import { ApiError } from './api-error.ts'

/** The credential that asks to revoke a key. */
export interface KeyRevoker {
  /** The API key that the credential is; left out for an access token of the OIDC issuer. */
  readonly keyId?: string | undefined
  readonly scopes: readonly Scope[]
  /** When it ends, in milliseconds since the epoch; left out when it does not. */
  readonly expiresAt?: number | undefined
}

/** A key to revoke, which the credential can see: one of its user and, for a bound credential, of its project. */
export interface RevocableKey {
  readonly id: string
  readonly scopes: readonly Scope[]
  /** When it ends, in milliseconds since the epoch; `null` when it does not. */
  readonly expiresAt: number | null
  /** Whether the environment of the deployment fixes it. */
  readonly bootstrap: boolean
  /** The keys that it was created with, directly and indirectly. */
  readonly ancestorIds: readonly string[]
}

const refuse = (detail: string): never => {
  throw new ApiError('scope_missing', detail, {
    // RFC 6750, section 3.1.
    headers: { 'WWW-Authenticate': 'Bearer realm="flowpost", error="insufficient_scope"' },
  })
}

/**
 * Rejects the revocation of a key that can do more, or lasts longer, than the credential. Otherwise the holder of a
 * limited key could lock out its owner. A key may always revoke itself and those created with it; nothing but the
 * environment or an operator revokes a bootstrap key.
 * @throws ApiError `scope_missing`.
 */
export const requireRevocable = (credential: KeyRevoker, key: RevocableKey): void => {
  if (key.bootstrap) refuse('A bootstrap key cannot be revoked by request. The operator removes it from FLOWPOST_BOOTSTRAP_KEYS.')
  if (credential.keyId !== undefined && (key.id === credential.keyId || key.ancestorIds.includes(credential.keyId))) return
  const excess = key.scopes.filter((scope) => !credential.scopes.includes(scope))
  if (excess.length > 0) refuse(`The key has scopes that the credential lacks: ${excess.join(', ')}. Revoke it with a key that has them.`)
  // Every key of an OIDC user was created with one of the user's tokens, so a token that ends sooner may revoke it.
  if (credential.keyId === undefined || credential.expiresAt === undefined) return
  if (key.expiresAt === null || key.expiresAt > credential.expiresAt)
    refuse('The key lasts longer than the credential. Revoke it with a key that lasts at least as long.')
}
