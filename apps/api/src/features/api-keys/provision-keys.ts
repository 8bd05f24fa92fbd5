import { scopes } from '@flowpost/contract'
import type { Logger } from 'pino'
import { hashToken } from '../../auth/token.ts'
import { userTag } from '../../cache-tags.ts'
import type { Database, UnitOfWork } from '../../database/database.ts'
import type { Clock } from '../../shared/clock.ts'
import { toId, type Uuid } from '../../shared/ids.ts'
import { ApiKeyEntity } from './api-key.entity.ts'
import { insertKey, lockKeysOf, type NewApiKey } from './write-api-key.ts'

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

/** The advisory lock by which processes that start together provision one after the other: "keys" in hexadecimal. */
export const provisionLock = 0x6b657973

const everything = { scopes, projectId: null, parentId: null, rootId: null, expiresAt: null } as const

/**
 * Creates the keys that a server starts with. Given a list of bootstrap keys, creates those that are missing and revokes
 * those that are no longer listed; the keys created with them stay valid. Without a list, changes no existing key, and
 * on the first start of an embedded server creates one for the user `local`.
 *
 * Call it last in the start, because a start that fails must not have revoked anything.
 * @returns the token created for `local`, to be shown once.
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
  for (const key of live) {
    if (!isListed(key)) await withdraw(transaction, key, deps.log)
    else if (!key.bootstrap) await adopt(transaction, key)
  }
  // Revoked by a person, who may have had to: a restart must not undo that.
  const revoked = known.filter((key) => key.revoked && listed.has(key.hash))
  for (const { id } of revoked)
    deps.log.warn({ key: toId('apiKey', id) }, 'A key of FLOWPOST_BOOTSTRAP_KEYS has been revoked and stays so. List another.')
  const settled = new Set([...live.filter(isListed), ...revoked].map(({ hash }) => hash))
  for (const [hash, { userId, token }] of listed)
    if (!settled.has(hash)) await insertKey(transaction, now, { ...everything, userId, name: 'bootstrap', bootstrap: true }, token)
}

/** Revokes a key that the environment no longer lists. Its row goes too, so that the key can be listed again, for any user. */
const withdraw = async (transaction: UnitOfWork, key: KnownKey, log: Logger): Promise<void> => {
  await transaction.em.nativeDelete(ApiKeyEntity, { id: key.id })
  transaction.invalidate(userTag(key.user_id))
  log.info({ key: toId('apiKey', key.id) }, 'Revoked a key that FLOWPOST_BOOTSTRAP_KEYS no longer lists for its user.')
}

/** Makes an ordinary key of the same user one that the environment fixes. */
const adopt = async (transaction: UnitOfWork, key: KnownKey): Promise<void> => {
  await transaction.em.nativeUpdate(ApiKeyEntity, { id: key.id }, { ...everything, scopes: [...scopes], bootstrap: true })
  transaction.invalidate(userTag(key.user_id))
}
