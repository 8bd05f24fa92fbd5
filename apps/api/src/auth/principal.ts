import type { KeyMode, Scope } from '@flowpost/contract'
import type { Uuid } from '../shared/ids.ts'

/** The authenticated sender of a request, with the sender's permissions. */
export interface Principal {
  readonly userId: string
  readonly scopes: readonly Scope[]
  /** `test` for a test key, whose messages are captured; `live` for other keys and for access tokens of an OIDC issuer. */
  readonly mode: KeyMode
  /** The only project that the credential may access; `undefined` if it is not bound to a project. */
  readonly projectId?: Uuid
  /** When the credential expires. Keys created with it must not outlive it. */
  readonly expiresAt?: Date
  /** The id of the API key; `undefined` for an OIDC token. */
  readonly keyId?: Uuid
  /** Identifies the credential in logs. Not a secret. */
  readonly credentialId: string
  /** Identifies the rate limit for the credential's requests. API keys created with a credential share its rate limit. */
  readonly rateLimitKey: string
}

/** The sender of a request that changes settings, and the request's id. The settings history records both. */
export interface Author extends Principal {
  readonly requestId: string
}

/**
 * Returns whether a user belongs to an OIDC issuer. Only the issuer's tokens, and API keys created with them, can act for
 * the user.
 */
export const isOidcUser = (userId: string): boolean => userId.startsWith('oidc:')
