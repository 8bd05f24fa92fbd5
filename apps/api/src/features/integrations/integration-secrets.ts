import { type MergedIntegration, mergeIntegration } from '@flowpost/contract/rules'
import type { Provider } from '@flowpost/delivery'
import { DecryptionError, type Encryption } from '../../shared/encryption.ts'
import type { Uuid } from '../../shared/ids.ts'
import type { IntegrationWithSecrets } from './integration.queries.ts'

/** The secrets of an integration, keyed by name. */
export type Secrets = Readonly<Record<string, unknown>>

/** Returns the encryption context of an integration. It binds the encrypted secrets to the project and the provider. */
const contextOf = (projectId: Uuid, sourceType: string): string[] => ['integration', projectId, sourceType]

/**
 * Encrypts the secrets of an integration. Returns `null` if there are no secrets. In that case, no encryption key is
 * needed.
 */
export const encryptSecrets = (encryption: Encryption, projectId: Uuid, sourceType: string, secrets: Secrets): Buffer | null =>
  Object.keys(secrets).length === 0 ? null : encryption.encrypt(JSON.stringify(secrets), contextOf(projectId, sourceType))

/**
 * Decrypts the secrets of an integration.
 * @throws DecryptionError
 */
export const decryptSecrets = (
  encryption: Encryption,
  row: { project_id: Uuid; source_type: string; secrets: Uint8Array | null },
): Secrets =>
  row.secrets === null ? {} : (JSON.parse(encryption.decrypt(row.secrets, contextOf(row.project_id, row.source_type))) as Secrets)

/**
 * Decrypts stored secrets and encrypts them with the primary encryption key.
 * @throws DecryptionError
 */
export const reencryptSecrets = (encryption: Encryption, row: { project_id: Uuid; source_type: string; secrets: Uint8Array }): Buffer => {
  const context = contextOf(row.project_id, row.source_type)
  return encryption.encrypt(encryption.decrypt(row.secrets, context), context)
}

/** Decrypts the named secrets of an integration. Returns `undefined` when they cannot be decrypted. */
const decryptNamed = (encryption: Encryption, stored: IntegrationWithSecrets, names: readonly string[]): Secrets | undefined => {
  try {
    const secrets = decryptSecrets(encryption, stored)
    return Object.fromEntries(names.map((name) => [name, secrets[name]]))
  } catch (error) {
    if (error instanceof DecryptionError) return undefined
    throw error
  }
}

/** Merges the body of a PUT into the stored integration and validates the result; see {@link mergeIntegration}. */
export const mergeIntegrationBody = (
  encryption: Encryption,
  provider: Provider,
  stored: IntegrationWithSecrets | undefined,
  body: { readonly settings?: unknown; readonly secrets?: unknown },
): MergedIntegration =>
  mergeIntegration(
    provider,
    stored && {
      settings: stored.settings,
      secretNames: stored.secret_names,
      decryptSecrets: (names) => decryptNamed(encryption, stored, names),
    },
    body,
  )
