import type { KeyMode, Scope } from '@flowpost/contract'
import { sortScopes } from '@flowpost/contract/rules'
import { createToken, hashToken } from '../../auth/token.ts'
import type { Queryable, UnitOfWork } from '../../database/database.ts'
import { newUuid, type Uuid } from '../../shared/ids.ts'
import { ApiKeyEntity } from './api-key.entity.ts'
import type { ApiKeyRow } from './api-key.serializer.ts'

/** The properties of a new key. */
export interface NewApiKey {
  readonly userId: string
  readonly name: string
  readonly scopes: readonly Scope[]
  readonly mode: KeyMode
  readonly projectId: Uuid | null
  /** The key that created this key. Revoking the parent also revokes this key. */
  readonly parentId: Uuid | null
  /** The oldest ancestor, with which this key shares a rate limit; `null` if the key has no parent. */
  readonly rootId: Uuid | null
  readonly expiresAt: Date | null
  readonly bootstrap: boolean
}

/**
 * Locks a user's keys until the transaction ends. Without the lock, a child key could be created while its parent is
 * being revoked, and the child would remain valid.
 */
export const lockKeysOf = async (transaction: Queryable, userId: string): Promise<void> => {
  await transaction.query(`select pg_advisory_xact_lock(hashtextextended('api-keys:' || $1::text, 0))`, [userId])
}

/**
 * Inserts a key.
 * @param given the id and the token of a bootstrap key. @default a new id and a new random token
 * @returns the row and the token. The database stores only a hash of the token.
 */
export const insertKey = async (
  transaction: UnitOfWork,
  now: Date,
  key: NewApiKey,
  given?: { readonly id: Uuid; readonly token: string },
): Promise<{ row: ApiKeyRow; token: string }> => {
  const id = given?.id ?? newUuid()
  const token = given?.token ?? createToken(id, key.mode)
  const scopes = sortScopes(key.scopes)
  transaction.em.create(ApiKeyEntity, {
    ...key,
    id,
    scopes,
    tokenHash: hashToken(token),
    revokedAt: null,
    lastUsedAt: null,
    createdAt: now,
  })
  await transaction.em.flush()
  const row: ApiKeyRow = {
    id,
    user_id: key.userId,
    name: key.name,
    scopes,
    mode: key.mode,
    project_id: key.projectId,
    expires_at: key.expiresAt,
    last_used_at: null,
    created_at: now,
  }
  return { row, token }
}
