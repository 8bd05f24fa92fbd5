import type { Scope } from '@flowpost/contract'
import type { Uuid } from './ids.ts'

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
  /** What the credential is counted under for rate limits, and shown as in logs. Not a secret. */
  readonly credentialId: string
}
