import { type MergedIntegration, mergeIntegration } from '@flowpost/contract/server'
import type { Provider } from '@flowpost/delivery'
import { type Encryption, SecretUnreadableError } from '../../shared/encryption.ts'
import type { SealedIntegrationRow } from './integration.queries.ts'
import { openSecrets, type Secrets } from './sealed-secrets.ts'

/** Opens some of the stored secrets; `undefined` when they cannot be opened. */
const openKept = (encryption: Encryption, stored: SealedIntegrationRow, names: readonly string[]): Secrets | undefined => {
  try {
    const all = openSecrets(encryption, stored)
    return Object.fromEntries(names.map((name) => [name, all[name]]))
  } catch (error) {
    if (error instanceof SecretUnreadableError) return undefined
    throw error
  }
}

/** Merges the body of a PUT into what is stored, and checks the result: see {@link mergeIntegration}. */
export const checkIntegration = (
  encryption: Encryption,
  provider: Provider,
  stored: SealedIntegrationRow | undefined,
  body: { readonly settings?: unknown; readonly secrets?: unknown },
): MergedIntegration =>
  mergeIntegration(
    provider,
    stored && { settings: stored.settings, names: stored.secret_names, open: (names) => openKept(encryption, stored, names) },
    body,
  )
