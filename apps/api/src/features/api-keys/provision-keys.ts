import { scopes } from '@flowpost/contract'
import type { Logger } from 'pino'
import { hashToken } from '../../auth/token.ts'
import { userTag } from '../../cache-tags.ts'
import type { Database, UnitOfWork } from '../../database/database.ts'
import type { Clock } from '../../shared/clock.ts'
import { toId, type Uuid } from '../../shared/ids.ts'
import { ApiKeyEntity } from './api-key.entity.ts'
import { bootstrapKeyId } from './bootstrap-key-id.ts'
import { insertKey, lockKeysOf, type NewApiKey } from './insert-key.ts'

/** A key that is listed in `FLOWPOST_BOOTSTRAP_KEYS`. */
export interface BootstrapKey {
  readonly userId: string
  readonly token: string
}

interface StoredKey {
  readonly id: Uuid
  readonly user_id: string
  readonly hash: string
  readonly bootstrap: boolean
  readonly revoked: boolean
}

/** The id of the advisory lock that lets only one process at a time provision keys. The id is "keys" in ASCII. */
export const provisionLock = 0x6b657973

/** The user who owns the first key in an embedded database. */
export const firstKeyUser = 'local'

const unrestricted = { scopes, mode: 'live', projectId: null, parentId: null, rootId: null, expiresAt: null } as const

/**
 * Provisions API keys at startup. With a list of bootstrap keys, creates the missing keys and deletes bootstrap keys that
 * are no longer listed. Keys that were created with a deleted bootstrap key stay valid, and belong to it again when it is
 * listed again. Without a list, creates a key for the user `local` if the database is embedded and has no keys. Call this
 * function last during startup, because a failed startup must not delete keys.
 * @returns the token of the key that was created for `local`, if any. Show the token now, because it is not stored.
 */
export const provisionKeys = (deps: {
  database: Database
  clock: Clock
  log: Logger
  bootstrapKeys: readonly BootstrapKey[] | undefined
}): Promise<string | undefined> =>
  deps.database.unitOfWork(async (transaction) => {
    const { bootstrapKeys, log } = deps
    const now = deps.clock.now()
    await transaction.query('select pg_advisory_xact_lock($1::bigint)', [provisionLock])
    if (bootstrapKeys) {
      await matchEnvironment(transaction, now, { log, bootstrapKeys })
      return undefined
    }
    if (deps.database.kind !== 'embedded') return undefined
    const [row] = await transaction.query('select 1 from api_keys limit 1')
    if (row) return undefined
    const first: NewApiKey = { ...unrestricted, userId: firstKeyUser, name: 'first key', bootstrap: false }
    return (await insertKey(transaction, now, first)).token
  })

const matchEnvironment = async (
  transaction: UnitOfWork,
  now: Date,
  deps: { log: Logger; bootstrapKeys: readonly BootstrapKey[] },
): Promise<void> => {
  const listed = new Map(deps.bootstrapKeys.map((key) => [hashToken(key.token).toString('hex'), key]))
  const stored = await transaction.query<StoredKey>(
    `select id, user_id, encode(token_hash, 'hex') as hash, bootstrap, revoked_at is not null as revoked from api_keys
     where bootstrap or encode(token_hash, 'hex') = any($1::text[])`,
    [[...listed.keys()]],
  )
  for (const userId of new Set(stored.map((key) => key.user_id).sort())) await lockKeysOf(transaction, userId)
  const live = stored.filter((key) => !key.revoked)
  const isListed = (key: StoredKey) => listed.get(key.hash)?.userId === key.user_id
  for (const key of live) {
    if (!isListed(key)) await removeKey(transaction, key, deps.log)
    else if (!key.bootstrap) await convertToBootstrapKey(transaction, key)
  }
  // These keys may have been revoked because they leaked, so a restart must not restore them.
  const revoked = stored.filter((key) => key.revoked && listed.has(key.hash))
  for (const { id } of revoked) {
    // The row must remain after the key's retention ends and after its project is deleted. If the row were deleted, a later start
    // would create the key again.
    await transaction.em.nativeUpdate(ApiKeyEntity, { id }, { bootstrap: true, projectId: null })
    deps.log.warn(
      { key: toId('apiKey', id) },
      'A key in FLOWPOST_BOOTSTRAP_KEYS was revoked earlier and remains revoked. Replace it with a new key.',
    )
  }
  const handledHashes = new Set([...live.filter(isListed), ...revoked].map(({ hash }) => hash))
  for (const [hash, { userId, token }] of listed) {
    if (handledHashes.has(hash)) continue
    const key: NewApiKey = { ...unrestricted, userId, name: 'bootstrap', bootstrap: true }
    await insertKey(transaction, now, key, { id: bootstrapKeyId(userId, hash), token })
  }
}

/**
 * Deletes a key that `FLOWPOST_BOOTSTRAP_KEYS` does not list for the key's user. The row is deleted instead of marked as
 * revoked, so that the variable can list the same token again later, or for another user.
 */
const removeKey = async (transaction: UnitOfWork, key: StoredKey, log: Logger): Promise<void> => {
  await transaction.em.nativeDelete(ApiKeyEntity, { id: key.id })
  await assignDescendants(transaction, key)
  transaction.invalidate(userTag(key.user_id))
  log.info({ key: toId('apiKey', key.id) }, 'Revoked a key that FLOWPOST_BOOTSTRAP_KEYS no longer lists for its user.')
}

/**
 * Replaces the id of a deleted key in the keys that were created with it. The new value is the id that the deleted key gets if
 * `FLOWPOST_BOOTSTRAP_KEYS` lists it again. The two ids differ if the deleted key was created as an ordinary key, or by an
 * earlier release.
 */
const assignDescendants = async (transaction: UnitOfWork, { id, user_id, hash }: StoredKey): Promise<void> => {
  const nextId = bootstrapKeyId(user_id, hash)
  if (nextId === id) return
  await transaction.em.nativeUpdate(ApiKeyEntity, { userId: user_id, parentId: id }, { parentId: nextId })
  await transaction.em.nativeUpdate(ApiKeyEntity, { userId: user_id, rootId: id }, { rootId: nextId })
}

/** Converts an ordinary key to a bootstrap key, because `FLOWPOST_BOOTSTRAP_KEYS` lists its token for the same user. */
const convertToBootstrapKey = async (transaction: UnitOfWork, key: StoredKey): Promise<void> => {
  await transaction.em.nativeUpdate(ApiKeyEntity, { id: key.id }, { ...unrestricted, scopes: [...scopes], bootstrap: true })
  transaction.invalidate(userTag(key.user_id))
}
