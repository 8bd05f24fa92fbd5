import { requireRevocable } from '@flowpost/contract/server'
import type { Principal } from '../../auth/principal.ts'
import { instant, type UnitOfWork } from '../../database/database.ts'
import type { Clock } from '../../shared/clock.ts'
import { getRevocableKey } from './api-key.queries.ts'
import { lockKeysOf, revokeKeys } from './write-api-key.ts'

/**
 * Revokes a key of the credential's user, and those created with it.
 * @throws ApiError `not_found`, or `scope_missing` for a key that the credential may not revoke.
 */
export const revokeKey = async (transaction: UnitOfWork, clock: Clock, principal: Principal, id: string): Promise<void> => {
  await lockKeysOf(transaction, principal.userId)
  const key = await getRevocableKey(transaction, principal, id)
  requireRevocable(
    { keyId: principal.keyId, scopes: principal.scopes, expiresAt: principal.expiresAt?.getTime() },
    {
      id: key.id,
      scopes: key.scopes,
      expiresAt: key.expires_at === null ? null : instant(key.expires_at).getTime(),
      bootstrap: key.bootstrap,
      ancestorIds: key.ancestor_ids,
    },
  )
  await revokeKeys(transaction, clock.now(), [key.id])
}
