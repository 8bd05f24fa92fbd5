import type { Scope } from '@flowpost/contract'
import type { Uuid } from '../shared/ids.ts'

/** Who makes a request, and what they may do. */
export interface Principal {
  readonly userId: string
  readonly scopes: readonly Scope[]
  /** The only project that the credential is for. */
  readonly projectId?: Uuid
  /** When the credential ends: what is made with it must not outlive it. */
  readonly expiresAt?: Date
  /** The API key that the credential is; an OIDC token is none. */
  readonly keyId?: Uuid
  /** What the credential is shown as in logs. Not a secret. */
  readonly credentialId: string
  /** What its requests are counted under for the rate limit: what was made with a credential counts with it. */
  readonly countedAs: string
}

/** Whether a user is one of an OIDC issuer, whom only its tokens, and keys made with them, stand for. */
export const isOidcUser = (userId: string): boolean => userId.startsWith('oidc:')
