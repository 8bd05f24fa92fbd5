import { scopes } from '@flowpost/contract'
import type { Database, Transaction } from '../../database/database.ts'
import type { Clock } from '../../shared/clock.ts'
import { newUuid } from '../../shared/ids.ts'
import { ApiKeyEntity } from './api-key.entity.ts'
import { hashToken, makeToken } from './token.ts'

interface NewKey {
  readonly userId: string
  readonly name: string
  readonly token: string
  readonly bootstrap: boolean
}

const insertKey = async (transaction: Transaction, now: Date, id: string, key: NewKey): Promise<void> => {
  transaction.em.create(ApiKeyEntity, {
    id,
    userId: key.userId,
    name: key.name,
    tokenHash: hashToken(key.token),
    scopes: [...scopes],
    projectId: null,
    parentId: null,
    bootstrap: key.bootstrap,
    expiresAt: null,
    revokedAt: null,
    lastUsedAt: null,
    createdAt: now,
  })
  await transaction.em.flush()
}

// "keys" in hexadecimal: processes that start together provision one after the other.
const provisionLock = 0x6b657973

/**
 * Makes the keys that a server starts with. With `FLOWPOST_BOOTSTRAP_KEYS` exactly those, and one that
 * is no longer listed is revoked; else, on the first start of an embedded server, one for the user `local`.
 * @returns the token made for `local`, to be shown once.
 */
export const provisionKeys = (deps: {
  database: Database
  clock: Clock
  bootstrapKeys: readonly { userId: string; token: string }[]
}): Promise<string | undefined> =>
  deps.database.transaction(async (transaction) => {
    const now = deps.clock.now()
    await transaction.query('select pg_advisory_xact_lock($1::bigint)', [provisionLock])
    const listed = new Map(deps.bootstrapKeys.map((key) => [hashToken(key.token).toString('hex'), key]))
    const known = await transaction.query<{ id: string; hash: string; user_id: string }>(
      `select id, encode(token_hash, 'hex') as hash, user_id from api_keys where bootstrap`,
    )
    const stale = known.filter(({ hash, user_id }) => listed.get(hash)?.userId !== user_id)
    if (stale.length > 0) await transaction.em.nativeDelete(ApiKeyEntity, { id: { $in: stale.map(({ id }) => id) } })
    const kept = new Set(known.filter((row) => !stale.includes(row)).map(({ hash }) => hash))
    for (const [hash, key] of listed)
      if (!kept.has(hash)) await insertKey(transaction, now, newUuid(), { ...key, name: 'bootstrap', bootstrap: true })
    if (listed.size > 0 || deps.database.kind !== 'embedded') return undefined
    const [any] = await transaction.query('select 1 from api_keys limit 1')
    if (any) return undefined
    const id = newUuid()
    const token = makeToken(id)
    await insertKey(transaction, now, id, { userId: 'local', name: 'first key', token, bootstrap: false })
    return token
  })
