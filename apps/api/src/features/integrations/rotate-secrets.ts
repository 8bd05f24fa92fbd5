import type { Queryable } from '../../database/database.ts'
import type { Encryption } from '../../shared/encryption.ts'
import { lowestUuid, toId, type Uuid } from '../../shared/ids.ts'
import type { RecipientKeyRotation } from '../../shared/recipient-key.ts'
import { type EncryptedTable, rotateEncrypted, toHex } from '../../shared/rotate-encrypted.ts'
import { reencryptSecrets } from './integration-secrets.ts'

/** The result of re-encrypting the secrets of event endpoints. Each field counts event endpoints instead of integrations. */
export type EndpointRotation = Pick<RotationReport, 'rotated' | 'current' | 'conflicts' | 'unreadable'>

/**
 * The result of re-encrypting secrets. `event_endpoints` has the counts for event endpoints; all other counts are for
 * integrations.
 */
export interface RotationReport {
  /** The id of the primary encryption key. */
  readonly key: string
  /** The number of integrations whose secrets were re-encrypted. */
  readonly rotated: number
  /** The number of integrations whose secrets were already encrypted with the primary key. */
  readonly current: number
  /** The number of integrations that were not rotated, because other writers changed them. To rotate them, repeat the command. */
  readonly conflicts: number
  /** The number of integrations whose secrets cannot be decrypted. They are left unchanged. */
  readonly unreadable: number
  /** The counts for event endpoints. */
  readonly event_endpoints?: EndpointRotation
  /** The result of re-encrypting the recipient digest key. */
  readonly recipient_key?: RecipientKeyRotation
  /**
   * At most 20 of the unreadable integrations. `key` is the id of the key with which the secrets were encrypted; `null`
   * if unknown.
   */
  readonly unreadable_integrations: readonly { readonly project: string; readonly source_type: string; readonly key: string | null }[]
}

interface EncryptedRow {
  readonly project_id: Uuid
  readonly source_type: string
  readonly secrets: Uint8Array
}

const defaultBatchSize = 100
const maxReported = 20

const integrations: EncryptedTable<EncryptedRow> = {
  readBatch: (on, after, count) =>
    on.query<EncryptedRow & object>(
      `select project_id, source_type, secrets from integrations
       where secrets is not null and (project_id, source_type) > ($1, $2)
       order by project_id, source_type limit $3`,
      [after?.project_id ?? lowestUuid, after?.source_type ?? '', count],
    ),
  reencrypt: reencryptSecrets,
  replace: async (on, changes) => {
    const replaced = await on.query(
      `update integrations i set secrets = decode(r.replacement, 'hex')
       from unnest($1::uuid[], $2::text[], $3::text[], $4::text[]) as r(project_id, source_type, read, replacement)
       where i.project_id = r.project_id and i.source_type = r.source_type and i.secrets = decode(r.read, 'hex')
       returning 1`,
      [
        changes.map(({ row }) => row.project_id),
        changes.map(({ row }) => row.source_type),
        changes.map(({ row }) => toHex(row.secrets)),
        changes.map(({ replacement }) => toHex(replacement)),
      ],
    )
    return replaced.length
  },
}

/**
 * Re-encrypts the secrets of every integration with the primary encryption key. Commits after each small batch, so servers
 * can continue to send messages and change settings. A row that another writer changes at the same time is retried in
 * another pass over the table. API responses and entity tags do not change.
 * @throws Error if there is no encryption key.
 */
export const rotateSecrets = async (deps: { database: Queryable; encryption: Encryption; batchSize?: number }): Promise<RotationReport> => {
  const { database, encryption, batchSize = defaultBatchSize } = deps
  const key = encryption.primaryKeyId
  if (key === undefined) throw new Error('There is no encryption key: set FLOWPOST_ENCRYPTION_KEY.')
  const { unreadable, ...counts } = await rotateEncrypted(database, encryption, integrations, batchSize)
  const reported = unreadable
    .slice(0, maxReported)
    .map(({ row, key: keyId }) => ({ project: toId('project', row.project_id), source_type: row.source_type, key: keyId }))
  return { key, ...counts, unreadable: unreadable.length, unreadable_integrations: reported }
}
