import type { Encryption } from '../../shared/encryption.ts'
import type { Uuid } from '../../shared/ids.ts'

/** The secrets of an integration, by name. */
export type Secrets = Readonly<Record<string, unknown>>

/** What secrets are sealed for: they open in this row alone. */
const placeOf = (projectId: Uuid, sourceType: string): string[] => ['integration', projectId, sourceType]

/** Seals the secrets of an integration; `null` when there are none, which takes no key. */
export const sealSecrets = (encryption: Encryption, projectId: Uuid, sourceType: string, secrets: Secrets): Buffer | null =>
  Object.keys(secrets).length === 0 ? null : encryption.seal(JSON.stringify(secrets), placeOf(projectId, sourceType))

/**
 * Opens the secrets of an integration.
 * @throws SecretUnreadableError
 */
export const openSecrets = (encryption: Encryption, row: { project_id: Uuid; source_type: string; secrets: Uint8Array | null }): Secrets =>
  row.secrets === null ? {} : (JSON.parse(encryption.open(row.secrets, placeOf(row.project_id, row.source_type))) as Secrets)

/**
 * Seals secrets anew under the key that seals now.
 * @throws SecretUnreadableError
 */
export const resealSecrets = (encryption: Encryption, row: { project_id: Uuid; source_type: string; secrets: Uint8Array }): Buffer => {
  const place = placeOf(row.project_id, row.source_type)
  return encryption.seal(encryption.open(row.secrets, place), place)
}
