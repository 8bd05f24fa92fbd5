import { requireRevocable } from '@flowpost/contract/rules'
import type { Principal } from '../../auth/principal.ts'
import { userTag } from '../../cache-tags.ts'
import { instant, type UnitOfWork } from '../../database/database.ts'
import type { Clock } from '../../shared/clock.ts'
import type { Uuid } from '../../shared/ids.ts'
import { getRevocableKey } from './api-key.queries.ts'
import { lockKeysOf } from './insert-key.ts'

/**
 * Revokes a key of the principal's user, and all keys that were created with it, directly or indirectly.
 * @throws ApiError `not_found`, or `scope_missing` if the principal may not revoke the key.
 */
export const revokeKey = async (transaction: UnitOfWork, clock: Clock, principal: Principal, id: string): Promise<void> => {
  await lockKeysOf(transaction, principal.userId)
  const key = await getRevocableKey(transaction, principal, id)
  requireRevocable(
    { keyId: principal.keyId, scopes: principal.scopes, mode: principal.mode, expiresAt: principal.expiresAt?.getTime() },
    {
      id: key.id,
      scopes: key.scopes,
      mode: key.mode,
      expiresAt: key.expires_at === null ? null : instant(key.expires_at).getTime(),
      bootstrap: key.bootstrap,
      ancestorIds: key.ancestor_ids,
    },
  )
  await revokeKeys(transaction, clock.now(), [key.id])
}

/**
 * Revokes keys, and all keys that were created with them, directly or indirectly. Before the call, lock the keys of
 * each affected user with {@link lockKeysOf}. This process rejects the keys as soon as the transaction commits. Other
 * processes reject them when they receive the cache invalidation, at most a second later.
 * @returns the ids of the keys that this call revoked.
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
