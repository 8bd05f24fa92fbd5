import { randomBytes } from 'node:crypto'
import type { Logger } from 'pino'
import type { Queryable } from '../database/database.ts'
import { DecryptionError, type Encryption, readKeyId } from './encryption.ts'

interface KeyRow {
  readonly key: Uint8Array
  readonly is_encrypted: boolean
}

const keyBytes = 32
const rowId = 1
const context = ['recipient_keys', String(rowId)] as const

const readKey = async (on: Queryable): Promise<KeyRow | undefined> => {
  const [row] = await on.query<KeyRow>('select key, is_encrypted from recipient_keys where id = $1', [rowId])
  return row
}

const remedy =
  'The digest key is stored encrypted. Add its encryption key to FLOWPOST_ENCRYPTION_KEY again and restart. ' +
  'Until then, searches by `target` fail, and messages in projects with suppressed recipients wait. ' +
  'Other deliveries complete without a recipient digest, so later searches by `target` may never find them. ' +
  'If the encryption key is lost, replace the digest key: run `delete from recipient_keys` on the database and restart. ' +
  'Earlier deliveries are then no longer found by `target`. ' +
  'Existing suppressions match nobody until they are deleted and created again. ' +
  'Erasures that are not done never finish: request them again.'

const decryptKey = ({ encryption, log }: RecipientKeyDeps, { key, is_encrypted }: KeyRow): Buffer | undefined => {
  if (!is_encrypted) return Buffer.from(key)
  try {
    return Buffer.from(encryption.decrypt(key, context), 'base64')
  } catch (error) {
    if (!(error instanceof DecryptionError)) throw error
    log.error(`Could not decrypt the recipient digest key. ${error.message} ${remedy}`)
    return undefined
  }
}

/**
 * The result of {@link rotateRecipientKey}. `current` means that the stored digest key needed no change, or that it was
 * created by this call.
 */
export type RecipientKeyRotation = 'rotated' | 'current' | 'unreadable'

/** The dependencies of {@link openRecipientKey}. */
export interface RecipientKeyDeps {
  readonly database: Queryable
  readonly encryption: Encryption
  readonly log: Logger
}

/**
 * Returns the recipient digest key. Creates the digest key if the database has none. Stores the digest key encrypted with the
 * primary encryption key, or unencrypted if there is no encryption key. If the primary encryption key has changed, encrypts
 * the digest key again. The digest key itself never changes, because a new one would make the stored digests useless.
 *
 * If the digest key cannot be decrypted, logs the reason and returns `undefined`. Messages are then delivered only in projects
 * without suppressed recipients.
 */
export const openRecipientKey = async (deps: RecipientKeyDeps): Promise<Buffer | undefined> => (await openAndEncrypt(deps)).key

/**
 * Encrypts the recipient digest key with the primary encryption key. Creates the digest key if the database has none.
 * Logs the reason if the stored digest key cannot be decrypted.
 */
export const rotateRecipientKey = async (deps: RecipientKeyDeps): Promise<RecipientKeyRotation> => (await openAndEncrypt(deps)).rotation

const openAndEncrypt = async (deps: RecipientKeyDeps): Promise<{ key: Buffer | undefined; rotation: RecipientKeyRotation }> => {
  const { database, encryption } = deps
  const { primaryKeyId } = encryption
  const seal = (key: Buffer): Uint8Array => (primaryKeyId === undefined ? key : encryption.encrypt(key.toString('base64'), context))

  const stored = await readKey(database)
  if (!stored) {
    const values = [rowId, seal(randomBytes(keyBytes)), primaryKeyId !== undefined]
    await database.query('insert into recipient_keys (id, key, is_encrypted) values ($1, $2, $3) on conflict (id) do nothing', values)
  }
  // Reads the row after the insert, because another process may have inserted its own key first.
  const row = stored ?? (await readKey(database))
  if (!row) throw new Error('The recipient digest key was deleted during startup.')
  const key = decryptKey(deps, row)
  if (!key) return { key, rotation: 'unreadable' }
  const isCurrent = primaryKeyId === undefined || (row.is_encrypted && readKeyId(row.key) === primaryKeyId)
  if (!isCurrent) await database.query('update recipient_keys set key = $2, is_encrypted = true where id = $1', [rowId, seal(key)])
  return { key, rotation: isCurrent ? 'current' : 'rotated' }
}
