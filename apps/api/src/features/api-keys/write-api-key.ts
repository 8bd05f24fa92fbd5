import type { Scope } from '@flowpost/contract'
import { sortScopes } from '@flowpost/contract/rules'
import { createToken, hashToken } from '../../auth/token.ts'
import { userTag } from '../../cache-tags.ts'
import type { Queryable, UnitOfWork } from '../../database/database.ts'
import { newUuid, type Uuid } from '../../shared/ids.ts'
import { ApiKeyEntity } from './api-key.entity.ts'
import type { ApiKeyRow } from './api-key.serializer.ts'

/** What a new key is to be. */
export interface NewApiKey {
  readonly userId: string
  readonly name: string
  readonly scopes: readonly Scope[]
  readonly projectId: Uuid | null
  /** The key that it is revoked with. */
  readonly parentId: Uuid | null
  /** The first of its parents, which its requests are counted with. */
  readonly rootId: Uuid | null
  readonly expiresAt: Date | null
  readonly bootstrap: boolean
}

/**
 * Keeps others from making or revoking keys of the user until the transaction ends. Without it a key
 * could be made under one that is revoked at the same time, and outlive it.
 */
export const lockKeysOf = async (transaction: Queryable, userId: string): Promise<void> => {
  await transaction.query(`select pg_advisory_xact_lock(hashtextextended('api-keys:' || $1::text, 0))`, [userId])
}

/**
 * Stores a new key.
 * @param token One that is given from outside; by default a new one is made.
 * @returns the row, and the token, which is stored nowhere.
 */
export const insertKey = async (
  transaction: UnitOfWork,
  now: Date,
  key: NewApiKey,
  token?: string,
): Promise<{ row: ApiKeyRow; token: string }> => {
  const id = newUuid()
  const own = token ?? createToken(id)
  const scopes = sortScopes(key.scopes)
  transaction.em.create(ApiKeyEntity, { ...key, id, scopes, tokenHash: hashToken(own), revokedAt: null, lastUsedAt: null, createdAt: now })
  await transaction.em.flush()
  const row: ApiKeyRow = {
    id,
    user_id: key.userId,
    name: key.name,
    scopes,
    project_id: key.projectId,
    expires_at: key.expiresAt,
    last_used_at: null,
    created_at: now,
  }
  return { row, token: own }
}

/**
 * Revokes keys and all that were made with them, however far down. Hold {@link lockKeysOf} of their users.
 * This process refuses them from the commit on, every other one as soon as it hears of it: at most a second later.
 * @returns the ids of those that are revoked by this.
 */
export const revokeKeys = async (transaction: UnitOfWork, now: Date, ids: readonly Uuid[]): Promise<Uuid[]> => {
  const rows = await transaction.query<{ id: Uuid; user_id: string }>(
    `with recursive tree as (
       select id from api_keys where id = any($1::uuid[])
       union select child.id from api_keys child join tree on child.parent_id = tree.id
     )
     update api_keys set revoked_at = $2 where id in (select id from tree) and revoked_at is null returning id, user_id`,
    [ids, now],
  )
  for (const { user_id } of rows) transaction.invalidate(userTag(user_id))
  return rows.map(({ id }) => id)
}
