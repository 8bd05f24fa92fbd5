import { type MergedIntegration, mergeIntegration } from '@flowpost/contract/rules'
import type { Provider } from '@flowpost/delivery'
import { type SecretBox, SecretUnreadableError } from '../../shared/secret-box.ts'
import type { SealedIntegrationRow } from './integration-queries.ts'
import { openSecrets, type Secrets } from './sealed-secrets.ts'

/** Opens some of the stored secrets; `undefined` when they cannot be opened. */
const openKept = (box: SecretBox, stored: SealedIntegrationRow, names: readonly string[]): Secrets | undefined => {
  try {
    const all = openSecrets(box, stored)
    return Object.fromEntries(names.map((name) => [name, all[name]]))
  } catch (error) {
    if (error instanceof SecretUnreadableError) return undefined
    throw error
  }
}

/** Merges the body of a PUT into what is stored, and checks the result: see {@link mergeIntegration}. */
export const checkIntegration = (
  box: SecretBox,
  provider: Provider,
  stored: SealedIntegrationRow | undefined,
  body: { readonly settings?: unknown; readonly secrets?: unknown },
): MergedIntegration =>
  mergeIntegration(
    provider,
    stored && { settings: stored.settings, secretNames: stored.secret_names, decryptSecrets: (names) => openKept(box, stored, names) },
    body,
  )
