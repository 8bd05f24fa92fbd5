import { createHash } from 'node:crypto'
import type { Queryable } from '../database/database.ts'
import { DecryptionError, readKeyId } from '../shared/encryption.ts'
import type { EncryptionKey } from '../shared/encryption-keys.ts'
import type { Manifest } from './manifest.ts'

/** Returns a hash that identifies a key. A key has 256 random bits, so the hash does not reveal it. */
const fingerprintOf = ({ key }: EncryptionKey): string =>
  createHash('sha256').update('flowpost backup').update(key.export()).digest('hex').slice(0, 16)

const keyIdOf = (secrets: Uint8Array): string | undefined => {
  try {
    return readKeyId(secrets)
  } catch (error) {
    if (error instanceof DecryptionError) return undefined
    throw error
  }
}

/**
 * For each table, the query that reads the values encrypted with the deployment's keys. The table `erasures` is omitted:
 * its addresses are encrypted with a different key, which is derived from the key in `recipient_keys`.
 */
const encrypted: Readonly<Record<string, string>> = {
  integrations: 'select secrets from integrations where secrets is not null',
  event_endpoints: 'select secrets from event_endpoints',
  recipient_keys: 'select key as secrets from recipient_keys where is_encrypted',
}

/**
 * Returns a description of each key with which stored secrets are encrypted.
 * @param known the keys of this process. Other keys have no fingerprint in the result.
 */
export const readNeededKeys = async (on: Queryable, known: readonly EncryptionKey[]): Promise<Manifest['keys']> => {
  // The database may lack some of these tables, because it may not be migrated to this release yet.
  const names = Object.keys(encrypted)
    .map((name) => `('${name}')`)
    .join(', ')
  const tables = await on.query<{ name: string }>(`select name from (values ${names}) as t (name) where to_regclass(name) is not null`)
  const queries = tables.flatMap(({ name }) => encrypted[name] ?? [])
  const rows = queries.length === 0 ? [] : await on.query<{ secrets: Uint8Array }>(queries.join(' union all '))
  const ids = rows.flatMap(({ secrets }) => keyIdOf(secrets) ?? [])
  return [...Map.groupBy(ids, (id) => id)].map(([id, { length }]) => {
    const key = known.find((candidate) => candidate.id === id)
    return { id, fingerprint: key ? fingerprintOf(key) : null, secrets: length }
  })
}

/**
 * Returns a warning for each key that encrypts secrets in the backup, if this process lacks the key or has a different
 * value for it.
 */
export const keyWarnings = (needed: Manifest['keys'], known: readonly EncryptionKey[]): string[] =>
  needed.flatMap(({ id, fingerprint, secrets }) => {
    const key = known.find((candidate) => candidate.id === id)
    const consequence = `${secrets === 1 ? '1 stored secret' : `${secrets} stored secrets`} cannot be decrypted`
    if (!key) return [`${consequence}: FLOWPOST_ENCRYPTION_KEY lacks the key ${id}.`]
    if (fingerprint === null || fingerprint === fingerprintOf(key)) return []
    return [`${consequence}: the key ${id} in FLOWPOST_ENCRYPTION_KEY had a different value during the backup.`]
  })
