import type { Queryable } from '../../database/database.ts'
import { type Encryption, SecretUnreadableError, sealingKeyOf } from '../../shared/encryption.ts'
import { toId, type Uuid } from '../../shared/ids.ts'
import { resealSecrets } from './sealed-secrets.ts'

/** What a rotation has done. */
export interface RotationReport {
  /** The id of the key that everything is sealed under now, but for what the other fields name. */
  readonly key: string
  /** Integrations that were sealed anew. */
  readonly resealed: number
  /** Integrations that were sealed under this key before. */
  readonly current: number
  /** Integrations that changed each time they were about to be sealed anew: run the command again. */
  readonly overtaken: number
  /** How many integrations cannot be opened with the keys that there are. They are left as they are. */
  readonly unreadable: number
  /** The first of those, with the key that they name. */
  readonly unreadable_integrations: readonly { readonly project: string; readonly source_type: string; readonly key: string | null }[]
}

interface SealedRow {
  readonly project_id: Uuid
  readonly source_type: string
  readonly secrets: Uint8Array
}

const defaultBatchSize = 100
const mostPasses = 5
const mostNamed = 20

const readBatch = (on: Queryable, after: Pick<SealedRow, 'project_id' | 'source_type'>, count: number): Promise<SealedRow[]> =>
  on.query<SealedRow>(
    `select project_id, source_type, secrets from integrations
     where secrets is not null and (project_id, source_type) > ($1, $2)
     order by project_id, source_type limit $3`,
    [after.project_id, after.source_type, count],
  )

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')

/** Replaces sealed values that are still the ones that were read; says how many were. */
const replace = async (on: Queryable, changes: readonly { row: SealedRow; resealed: Buffer }[]): Promise<number> => {
  if (changes.length === 0) return 0
  const replaced = await on.query(
    `update integrations i set secrets = decode(r.resealed, 'hex')
     from unnest($1::uuid[], $2::text[], $3::text[], $4::text[]) as r(project_id, source_type, read, resealed)
     where i.project_id = r.project_id and i.source_type = r.source_type and i.secrets = decode(r.read, 'hex')
     returning 1`,
    [
      changes.map(({ row }) => row.project_id),
      changes.map(({ row }) => row.source_type),
      changes.map(({ row }) => hex(row.secrets)),
      changes.map(({ resealed }) => hex(resealed)),
    ],
  )
  return replaced.length
}

/** What is to become of one row: nothing, a new seal, or a report. */
const judge = (encryption: Encryption, row: SealedRow): { resealed?: Buffer; unreadable?: SecretUnreadableError } => {
  try {
    return sealingKeyOf(row.secrets) === encryption.sealingKeyId ? {} : { resealed: resealSecrets(encryption, row) }
  } catch (error) {
    if (error instanceof SecretUnreadableError) return { unreadable: error }
    throw error
  }
}

interface Pass {
  resealed: number
  current: number
  overtaken: number
  readonly unreadable: { project: string; source_type: string; key: string | null }[]
}

const makePass = async (on: Queryable, encryption: Encryption, batchSize: number): Promise<Pass> => {
  const pass: Pass = { resealed: 0, current: 0, overtaken: 0, unreadable: [] }
  let after: Pick<SealedRow, 'project_id' | 'source_type'> = { project_id: '00000000-0000-0000-0000-000000000000', source_type: '' }
  for (;;) {
    const rows = await readBatch(on, after, batchSize)
    const judged = rows.map((row) => ({ row, ...judge(encryption, row) }))
    const changes = judged.flatMap(({ row, resealed }) => (resealed ? [{ row, resealed }] : []))
    const replaced = await replace(on, changes)
    pass.resealed += replaced
    pass.overtaken += changes.length - replaced
    for (const { row, resealed, unreadable } of judged)
      if (unreadable)
        pass.unreadable.push({ project: toId('project', row.project_id), source_type: row.source_type, key: unreadable.keyId ?? null })
      else if (!resealed) pass.current += 1
    const last = rows.at(-1)
    if (!last || rows.length < batchSize) return pass
    after = last
  }
}

/**
 * Seals every integration's secrets under the key that seals now, in small committed batches, while servers
 * send and write. A row that was written meanwhile is left to its writer and looked at again. What clients
 * see does not change, and neither does an entity tag.
 *
 * @throws Error when there is no key to seal with.
 */
export const rotateSecrets = async (deps: { database: Queryable; encryption: Encryption; batchSize?: number }): Promise<RotationReport> => {
  const { database, encryption, batchSize = defaultBatchSize } = deps
  const key = encryption.sealingKeyId
  if (key === undefined) throw new Error('There is no key to seal with: set FLOWPOST_ENCRYPTION_KEY.')
  let pass = await makePass(database, encryption, batchSize)
  const { current } = pass
  let resealed = pass.resealed
  for (let passes = 1; pass.overtaken > 0 && passes < mostPasses; passes += 1) {
    pass = await makePass(database, encryption, batchSize)
    resealed += pass.resealed
  }
  const { overtaken, unreadable } = pass
  return { key, resealed, current, overtaken, unreadable: unreadable.length, unreadable_integrations: unreadable.slice(0, mostNamed) }
}
