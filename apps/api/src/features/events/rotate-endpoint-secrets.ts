import type { Queryable } from '../../database/database.ts'
import type { Encryption } from '../../shared/encryption.ts'
import { lowestUuid, type Uuid } from '../../shared/ids.ts'
import { type EncryptedTable, type RotationCounts, rotateEncrypted, toHex } from '../../shared/rotate-encrypted.ts'
import { decryptSecrets, encryptSecrets } from './endpoint-secrets.ts'

interface EncryptedRow {
  readonly id: Uuid
  readonly secrets: Uint8Array
}

const batchSize = 100

const endpoints: EncryptedTable<EncryptedRow> = {
  readBatch: (on, after, count) =>
    on.query<EncryptedRow & object>('select id, secrets from event_endpoints where id > $1 order by id limit $2', [
      after?.id ?? lowestUuid,
      count,
    ]),
  reencrypt: (encryption, row) => encryptSecrets(encryption, row.id, decryptSecrets(encryption, row)),
  replace: async (on, changes) => {
    const replaced = await on.query(
      `update event_endpoints e set secrets = decode(r.replacement, 'hex')
       from unnest($1::uuid[], $2::text[], $3::text[]) as r(id, read, replacement)
       where e.id = r.id and e.secrets = decode(r.read, 'hex') returning 1`,
      [
        changes.map(({ row }) => row.id),
        changes.map(({ row }) => toHex(row.secrets)),
        changes.map(({ replacement }) => toHex(replacement)),
      ],
    )
    return replaced.length
  },
}

/** Re-encrypts the signing secrets of every event endpoint with the primary key. */
export const rotateEndpointSecrets = async (
  database: Queryable,
  encryption: Encryption,
): Promise<Omit<RotationCounts<unknown>, 'unreadable'> & { readonly unreadable: number }> => {
  const { unreadable, ...counts } = await rotateEncrypted(database, encryption, endpoints, batchSize)
  return { ...counts, unreadable: unreadable.length }
}
