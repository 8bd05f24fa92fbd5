import type { Queryable } from '../../database/database.ts'
import { DecryptionError, type Encryption, readKeyId } from '../../shared/encryption.ts'
import { toId, type Uuid } from '../../shared/ids.ts'
import { reencryptSecrets } from './integration-secrets.ts'

/** The result of a rotation. */
export interface RotationReport {
  /** The id of the primary key. */
  readonly key: string
  /** The number of integrations whose secrets were encrypted again. */
  readonly rotated: number
  /** The number of integrations that already used the primary key. */
  readonly current: number
  /** The number of integrations that other writers changed in every pass. Running the command again rotates them. */
  readonly conflicts: number
  /** The number of integrations whose secrets cannot be decrypted. They are left unchanged. */
  readonly unreadable: number
  /**
   * At most 20 of the unreadable integrations. `key` is the id of the key that their secrets were encrypted with; `null` if
   * unknown.
   */
  readonly unreadable_integrations: readonly { readonly project: string; readonly source_type: string; readonly key: string | null }[]
}

interface EncryptedRow {
  readonly project_id: Uuid
  readonly source_type: string
  readonly secrets: Uint8Array
}

const defaultBatchSize = 100
const maxPasses = 5
const maxReported = 20

const readBatch = (on: Queryable, after: Pick<EncryptedRow, 'project_id' | 'source_type'>, count: number): Promise<EncryptedRow[]> =>
  on.query<EncryptedRow>(
    `select project_id, source_type, secrets from integrations
     where secrets is not null and (project_id, source_type) > ($1, $2)
     order by project_id, source_type limit $3`,
    [after.project_id, after.source_type, count],
  )

const toHex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')

/**
 * Replaces encrypted secrets, except those that another writer has changed since they were read. Returns the number of
 * replaced rows.
 */
const replace = async (on: Queryable, changes: readonly { row: EncryptedRow; replacement: Buffer }[]): Promise<number> => {
  if (changes.length === 0) return 0
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
}

/** Encrypts the secrets of a row with the primary key. Returns neither field for a row that already uses this key. */
const reencrypt = (encryption: Encryption, row: EncryptedRow): { replacement?: Buffer; unreadable?: DecryptionError } => {
  try {
    return readKeyId(row.secrets) === encryption.primaryKeyId ? {} : { replacement: reencryptSecrets(encryption, row) }
  } catch (error) {
    if (error instanceof DecryptionError) return { unreadable: error }
    throw error
  }
}

interface Pass {
  rotated: number
  current: number
  conflicts: number
  readonly unreadable: { project: string; source_type: string; key: string | null }[]
}

const runPass = async (on: Queryable, encryption: Encryption, batchSize: number): Promise<Pass> => {
  const pass: Pass = { rotated: 0, current: 0, conflicts: 0, unreadable: [] }
  let after: Pick<EncryptedRow, 'project_id' | 'source_type'> = { project_id: '00000000-0000-0000-0000-000000000000', source_type: '' }
  for (;;) {
    const rows = await readBatch(on, after, batchSize)
    const results = rows.map((row) => ({ row, ...reencrypt(encryption, row) }))
    const changes = results.flatMap(({ row, replacement }) => (replacement ? [{ row, replacement }] : []))
    const replaced = await replace(on, changes)
    pass.rotated += replaced
    pass.conflicts += changes.length - replaced
    for (const { row, replacement, unreadable } of results)
      if (unreadable)
        pass.unreadable.push({ project: toId('project', row.project_id), source_type: row.source_type, key: unreadable.keyId ?? null })
      else if (!replacement) pass.current += 1
    const last = rows.at(-1)
    if (!last || rows.length < batchSize) return pass
    after = last
  }
}

/**
 * Encrypts the secrets of every integration with the primary key, in small committed batches. Servers can continue to send and
 * write: a row that another writer changes is retried in the next pass. API responses and entity tags do not change.
 * @throws Error if there is no encryption key.
 */
export const rotateSecrets = async (deps: { database: Queryable; encryption: Encryption; batchSize?: number }): Promise<RotationReport> => {
  const { database, encryption, batchSize = defaultBatchSize } = deps
  const key = encryption.primaryKeyId
  if (key === undefined) throw new Error('There is no encryption key: set FLOWPOST_ENCRYPTION_KEY.')
  let pass = await runPass(database, encryption, batchSize)
  const { current } = pass
  let rotated = pass.rotated
  for (let passes = 1; pass.conflicts > 0 && passes < maxPasses; passes += 1) {
    pass = await runPass(database, encryption, batchSize)
    rotated += pass.rotated
  }
  const { conflicts, unreadable } = pass
  return { key, rotated, current, conflicts, unreadable: unreadable.length, unreadable_integrations: unreadable.slice(0, maxReported) }
}
