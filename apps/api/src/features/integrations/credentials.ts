import type { Credential } from '@flowpost/delivery'
import type { Config } from '../../config.ts'

/** Whose message is to be sent, and through what. */
export interface CredentialQuery {
  readonly userId: string
  readonly sourceType: string
}

/** Finds what a message is sent with. */
export interface Credentials {
  /** The credential for a user's messages through a provider; `undefined` when there is none. */
  find(query: CredentialQuery): Promise<Credential | undefined>
}

/** Credentials of the deployment's environment, for the users who may share them. */
export const createCredentials = (deps: {
  deployment: ReadonlyMap<string, Credential>
  sharedWith: Config['sharedCredentials']
}): Credentials => {
  const { deployment, sharedWith } = deps
  const mayShare = (userId: string) => sharedWith === 'all' || (sharedWith !== 'none' && sharedWith.includes(userId))
  return {
    find: async ({ userId, sourceType }) => (mayShare(userId) ? deployment.get(sourceType) : undefined),
  }
}
