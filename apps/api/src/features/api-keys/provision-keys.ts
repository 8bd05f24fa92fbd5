import { scopes } from '@flowpost/contract'
import type { Logger } from 'pino'
import { userTopic } from '../../database/changes.ts'
import type { Database, UnitOfWork } from '../../database/database.ts'
import type { Clock } from '../../shared/clock.ts'
import { toId, type Uuid } from '../../shared/ids.ts'
import { ApiKeyEntity } from './api-key.entity.ts'
import { hashToken } from './token.ts'
import { insertKey, lockKeysOf, type NewApiKey, revokeKeys } from './write-api-key.ts'

/** A key that the environment fixes. */
export interface BootstrapKey {
  readonly userId: string
  readonly token: string
}

interface KnownKey {
  readonly id: Uuid
  readonly user_id: string
  readonly hash: string
  readonly bootstrap: boolean
  readonly revoked: boolean
}

// "keys" in hexadecimal: processes that start together provision one after the other.
const provisionLock = 0x6b657973

const everything = { scopes, projectId: null, parentId: null, rootId: null, expiresAt: null } as const

/**
 * Makes the keys that a server starts with. With `FLOWPOST_BOOTSTRAP_KEYS` exactly those, and one that
 * is no longer listed is revoked with all that were made with it; else, on the first start of an embedded
 * server, one for the user `local`.
 * @returns the token made for `local`, to be shown once.
 */
export const provisionKeys = (deps: {
  database: Database
  clock: Clock
  log: Logger
  bootstrapKeys: readonly BootstrapKey[]
}): Promise<string | undefined> =>
  deps.database.unitOfWork(async (transaction) => {
    const now = deps.clock.now()
    await transaction.query('select pg_advisory_xact_lock($1::bigint)', [provisionLock])
    await matchEnvironment(transaction, now, deps)
    if (deps.bootstrapKeys.length > 0 || deps.database.kind !== 'embedded') return undefined
    const [any] = await transaction.query('select 1 from api_keys limit 1')
    if (any) return undefined
    const first: NewApiKey = { ...everything, userId: 'local', name: 'first key', bootstrap: false }
    return (await insertKey(transaction, now, first)).token
  })

const matchEnvironment = async (
  transaction: UnitOfWork,
  now: Date,
  deps: { log: Logger; bootstrapKeys: readonly BootstrapKey[] },
): Promise<void> => {
  const listed = new Map(deps.bootstrapKeys.map((key) => [hashToken(key.token).toString('hex'), key]))
  const known = await transaction.query<KnownKey>(
    `select id, user_id, encode(token_hash, 'hex') as hash, bootstrap, revoked_at is not null as revoked from api_keys
     where bootstrap or encode(token_hash, 'hex') = any($1::text[])`,
    [[...listed.keys()]],
  )
  for (const userId of new Set(known.map((key) => key.user_id).sort())) await lockKeysOf(transaction, userId)
  const live = known.filter((key) => !key.revoked)
  const isListed = (key: KnownKey) => listed.get(key.hash)?.userId === key.user_id
  // Before any is revoked: one that was made with it is its own from now on.
  for (const key of live) if (isListed(key) && !key.bootstrap) await adopt(transaction, key)
  for (const key of live) {
    if (isListed(key)) continue
    await revokeKeys(transaction, now, [key.id])
    // Not kept, so that it can be listed again, and for another user too.
    await transaction.em.nativeDelete(ApiKeyEntity, { id: key.id })
    deps.log.info({ key: toId('apiKey', key.id) }, 'A key that FLOWPOST_BOOTSTRAP_KEYS no longer lists for its user is revoked.')
  }
  // Revoked by a person, who may have had to: a restart must not undo that.
  const revoked = known.filter((key) => key.revoked && listed.has(key.hash))
  for (const { id } of revoked)
    deps.log.warn({ key: toId('apiKey', id) }, 'A key of FLOWPOST_BOOTSTRAP_KEYS has been revoked and stays so. List another.')
  const settled = new Set([...live.filter(isListed), ...revoked].map(({ hash }) => hash))
  for (const [hash, { userId, token }] of listed)
    if (!settled.has(hash)) await insertKey(transaction, now, { ...everything, userId, name: 'bootstrap', bootstrap: true }, token)
}

/** Makes an ordinary key of the same user one that the environment fixes. */
const adopt = async (transaction: UnitOfWork, key: KnownKey): Promise<void> => {
  await transaction.em.nativeUpdate(ApiKeyEntity, { id: key.id }, { ...everything, scopes: [...scopes], bootstrap: true })
  transaction.changed(userTopic(key.user_id))
}
