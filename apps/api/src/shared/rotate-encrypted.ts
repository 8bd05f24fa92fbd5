import type { Queryable } from '../database/database.ts'
import { DecryptionError, type Encryption, readKeyId } from './encryption.ts'

/** A table whose values are encrypted again in a key rotation. */
export interface EncryptedTable<Row extends { readonly secrets: Uint8Array }> {
  /** Reads up to `count` rows that follow the row `after`, in a fixed order. Without `after`, starts with the first row. */
  readonly readBatch: (on: Queryable, after: Row | undefined, count: number) => Promise<Row[]>
  /** Returns a row's value, encrypted with the primary encryption key. @throws DecryptionError */
  readonly reencrypt: (encryption: Encryption, row: Row) => Buffer
  /** Replaces values that no other writer has changed since they were read. Returns the number of replaced rows. */
  readonly replace: (on: Queryable, changes: readonly { readonly row: Row; readonly replacement: Buffer }[]) => Promise<number>
}

/** The counts of a key rotation, for one pass over a table or for all passes. */
export interface RotationCounts<Row> {
  readonly rotated: number
  /** The number of rows that were already encrypted with the primary encryption key. */
  readonly current: number
  /** The number of rows that the last pass did not rotate because other writers had changed them. */
  readonly conflicts: number
  /** The rows that cannot be decrypted, each with the id of its key. The id is `null` if it is unknown. */
  readonly unreadable: readonly { readonly row: Row; readonly key: string | null }[]
}

const maxPasses = 5

/**
 * Encrypts a row's value with the primary encryption key, and returns it as `replacement`. Returns the error as `unreadable`
 * if the value cannot be decrypted, and an empty object if the value is already encrypted with that key. Decrypts every value,
 * to detect a value that was encrypted with a different key of the same id.
 */
const reencrypt = <Row extends { readonly secrets: Uint8Array }>(
  table: EncryptedTable<Row>,
  encryption: Encryption,
  row: Row,
): { replacement?: Buffer; unreadable?: DecryptionError } => {
  try {
    const replacement = table.reencrypt(encryption, row)
    return readKeyId(row.secrets) === encryption.primaryKeyId ? {} : { replacement }
  } catch (error) {
    if (error instanceof DecryptionError) return { unreadable: error }
    throw error
  }
}

const runPass = async <Row extends { readonly secrets: Uint8Array }>(
  on: Queryable,
  encryption: Encryption,
  table: EncryptedTable<Row>,
  batchSize: number,
): Promise<RotationCounts<Row>> => {
  const unreadable: { row: Row; key: string | null }[] = []
  let [rotated, current, conflicts] = [0, 0, 0]
  let after: Row | undefined
  for (;;) {
    const rows = await table.readBatch(on, after, batchSize)
    const results = rows.map((row) => ({ row, ...reencrypt(table, encryption, row) }))
    const changes = results.flatMap(({ row, replacement }) => (replacement ? [{ row, replacement }] : []))
    const replaced = changes.length === 0 ? 0 : await table.replace(on, changes)
    rotated += replaced
    conflicts += changes.length - replaced
    for (const { row, replacement, unreadable: error } of results)
      if (error) unreadable.push({ row, key: error.keyId ?? null })
      else if (!replacement) current += 1
    after = rows.at(-1)
    if (!after || rows.length < batchSize) return { rotated, current, conflicts, unreadable }
  }
}

/**
 * Encrypts a table's values again, with the primary encryption key. Commits each small batch of rows. If another writer
 * changes a row in the meantime, the next pass over the table tries that row again. Makes at most five passes.
 */
export const rotateEncrypted = async <Row extends { readonly secrets: Uint8Array }>(
  on: Queryable,
  encryption: Encryption,
  table: EncryptedTable<Row>,
  batchSize: number,
): Promise<RotationCounts<Row>> => {
  const first = await runPass(on, encryption, table, batchSize)
  let last = first
  let { rotated } = first
  for (let passes = 1; last.conflicts > 0 && passes < maxPasses; passes += 1) {
    last = await runPass(on, encryption, table, batchSize)
    rotated += last.rotated
  }
  return { ...last, rotated, current: first.current }
}

/** Returns bytes as hexadecimal text. */
export const toHex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')
